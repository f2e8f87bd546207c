"""Turns events into pictures: the stage, on a page of its own or in a notebook."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from explorer.notebook import explore, watch

__all__ = ["explore", "watch"]


def __getattr__(name: str) -> Any:
    """Import the notebook's side when it is asked for: a server does without."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    return getattr(notebook, name)
