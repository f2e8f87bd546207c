"""Turns events into pictures: the stage, on a page of its own or in a notebook.

A run of the engine emits events into a `Recording`. A `Replay` is that recording as views see it: it looks up the
`Frame` at any cursor, which is the state of the solver then. How events become frames is known to the `Reader` of the
system, and a `Playback` moves the cursor. The `Stage` is the screen around it, the same for every system: transport,
scene, charts, story, settings, data. What one system alone brings is its `Presentation`: the reader; an `Overlay`,
which it draws on the scene; a `View`, figures of its own below; charts, story, listing and presets.

The rooms, each importing only those before it:

    registry    the presentations by name, built in or brought by other packages; loads them by name only
    sketch      points drawn by hand
    style       colours, boxes, numbers; imports nothing of ours
    server      limits and the pool, which all sessions of a process share
    replay      recording to frame: Replay, Frame, Reader, Playback
    figures     frame to figure: scene, charts; what overlays and views are
    share       links, Python code, recording files
    stage       the screen: Presentation, Stage, what is drawn when
    pages       the home page and the page of a system
    notebook    the stage in a cell: explore, watch
    systems     one folder a system; nothing above imports it, but by name through the registry
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from explorer.notebook import explore, watch

__all__ = ["explore", "watch"]


def __getattr__(name: str) -> Any:
    """Import the notebook's side when it is asked for: a server does without."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from explorer import notebook

    return getattr(notebook, name)
