"""Icons as pictures of their own: an icon font would have to be fetched, and a notebook may be offline."""

PATHS = {
    "play": "M8 5v14l11-7z",
    "reset": "M12 5V2L7 6.5 12 11V8a5 5 0 1 1-5 5H5a7 7 0 1 0 7-8z",
    "link": "M7 8h4v2H7a2 2 0 0 0 0 4h4v2H7a4 4 0 0 1 0-8zm6 0h4a4 4 0 0 1 0 8h-4v-2h4a2 2 0 0 0 0-4h-4zm-5 3h8v2H8z",
    "picture": "M4 5h16v14H4zm2 2v8l4-4 3 3 2-2 3 3V7zm9 1a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3z",
    "code": "M9 7 10.4 8.4 6.8 12l3.6 3.6L9 17l-5-5zm6 0-1.4 1.4 3.6 3.6-3.6 3.6L15 17l5-5z",
    "undo": "M9 7V3L3 9l6 6v-4c5 0 8 1.5 10 5-.8-5-3.600-9-10-9z",
    "clear": "M7 7h10v12a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1zm2-3h6l1 1h3v1.500H5V5h3z",
}


def icon(name: str) -> str:
    """An icon as SVG."""
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="{PATHS[name]}"/></svg>'
