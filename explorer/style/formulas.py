"""Formulas: LaTeX in the source, MathML on the page, which browsers draw without script, font or network."""

import html
import re
from functools import cache

from latex2mathml.converter import convert


@cache
def with_formulas(text: str) -> str:
    """Text as HTML, with what stands between dollar signs as formulas."""
    parts = re.split(r"\$([^$]+)\$", text)
    return "".join(convert(part) if k % 2 else html.escape(part) for k, part in enumerate(parts))
