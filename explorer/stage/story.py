"""Words on the stage, as HTML: the story with its numbers, and the listing with its lines lit."""

from explorer.style.formulas import with_formulas
from explorer.style.theme import FONT, NEGATIVE

LIT = (f"color-mix(in srgb, {NEGATIVE} 16%, transparent)", NEGATIVE)  # background and edge of a line of the listing
KEYS_HINT = " · Space plays and pauses · ← → step · Home, End jump"  # a notebook has keys of its own


def card_of_words(story: str, numbers: dict[str, str], hint: str, keys: bool) -> str:
    """What just happened, where the solver stands, and what can be done: with keys, too, on a page of its own."""
    faint = "color: var(--mui-palette-text-secondary, inherit); font-size: 12px"
    figures = "".join(
        f'<div><div style="{faint}">{name}</div><div style="font-variant-numeric: tabular-nums">{value}</div></div>'
        for name, value in numbers.items()
    )
    grid = "display: grid; grid-template-columns: repeat(auto-fill, minmax(118px, 1fr)); gap: 6px 12px; margin: 10px 0"
    look = f"font: 15px/1.45 {FONT}; color: var(--mui-palette-text-primary, inherit)"
    return (
        f'<div style="{look}"><div style="min-height: 66px">{story}</div><div style="{grid}">{figures}</div>'
        f'<div style="{faint}">{hint + KEYS_HINT * keys}</div></div>'
    )


def listing(lines: tuple[tuple[str, int, str], ...], lit: list[str]) -> str:
    """The algorithm, with some lines lit."""
    parts = []
    for name, depth, text in lines:
        shade, edge = LIT if name in lit else ("none", "transparent")
        look = f"background: {shade}; border-left: 3px solid {edge}; padding: 2px 8px 2px {10 + 20 * depth}px"
        current = ' aria-current="step"' if name in lit else ""
        parts.append(f'<div style="{look}"{current}>{with_formulas(text)}</div>')
    look = f"font: 14px/1.6 {FONT}; color: var(--mui-palette-text-primary, inherit)"
    return f'<div style="{look}">{"".join(parts)}</div>'


STOPS = {
    "converged": "no point violates its conditions by more than the tolerance",
    "max_iter": "the limit of iterations was reached",
    "stalled": "rounding leaves nothing more to gain",
    "cancelled": "it was cancelled",
    "time": "its time was up",
}
