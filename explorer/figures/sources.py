"""The columns that glyphs are drawn from."""

from bokeh.models import ColumnDataSource


def empty(*sources: ColumnDataSource) -> None:
    """Leave no rows in any of these; what is empty already is not sent to the browser again."""
    for source in sources:
        if any(map(len, source.data.values())):
            source.data = {name: [] for name in source.data}
