"""The tree of PDDP's splits: a cluster as high as its scatter, below it the two parts it was split into."""

from bokeh.models import ColumnDataSource, FixedTicker

from engine.systems.clustersvm.events import ClusterSplit
from explorer.figures.sources import empty
from explorer.figures.tile import tile
from explorer.style.theme import AMBER, PALETTE, decades, style, tone, words_inside

LEAST = 1e-4  # of the largest scatter: a single point has none


class SplitTree:
    """One figure: the trees of all classes beside one another, the newest split marked."""

    def __init__(self) -> None:
        self._branches = ColumnDataSource({name: [] for name in ("xs", "ys", "colour")})
        self._newest = ColumnDataSource({"xs": [], "ys": []})
        self.plot = plot = tile("split-tree", "Scatter, split by split", (0.1, 1), y_scale="log")
        plot.xgrid.visible = False
        plot.multi_line("xs", "ys", source=self._branches, line_color="colour", line_width=1.6)
        plot.multi_line("xs", "ys", source=self._newest, line_color=AMBER, line_width=4)
        plot.xaxis.axis_label = "clusters"
        plot.xaxis.ticker = FixedTicker(ticks=[])
        self._words = words_inside("", x=8, y=8, y_units="screen")
        plot.add_layout(self._words)
        self._drawn = -1

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        style(self.plot, dark)
        self._words.text_color = tone(dark).text

    def clear(self) -> None:
        """Show nothing."""
        self._drawn = -1
        self._words.text = ""
        empty(self._branches, self._newest)

    def draw(self, splits: list[ClusterSplit], clustering: str, splitting: bool) -> None:
        """Show these splits; `splitting`: the last of them just happened."""
        self._words.text = "k-means makes no tree" if clustering == "kmeans" else ""
        shapes = _shapes(splits) if splits else []
        self.plot.xaxis.axis_label = f"{len(splits) + len({s.class_number for s in splits}):,} clusters"
        newest = shapes[-1:] if splitting else []
        self._newest.data = {"xs": [x for x, _ in newest], "ys": [y for _, y in newest]}
        if len(splits) == self._drawn:
            return
        self._drawn = len(splits)
        self._branches.data = {
            "xs": [x for x, _ in shapes],
            "ys": [y for _, y in shapes],
            "colour": [PALETTE[split.class_number % len(PALETTE)][0] for split in splits],
        }
        if shapes:
            highest, lowest = max(max(y) for _, y in shapes), min(min(y) for _, y in shapes)
            self.plot.x_range.update(start=-0.8, end=max(max(x) for x, _ in shapes) + 0.8)
            self.plot.y_range.update(start=lowest / 1.3, end=highest * 1.6)
            self.plot.yaxis.ticker.ticks = decades(lowest / 1.3, highest * 1.6)


def _shapes(splits: list[ClusterSplit]) -> list[tuple[list[float], list[float]]]:
    """Of each split a bracket, down to both parts. Leaves stand beside one another, a split over its middle."""
    leaves: dict[int, list[int]] = {}  # of each class, in order: the part beyond stands beside the part here
    for split in splits:
        row = leaves.setdefault(split.class_number, [split.cluster])
        row.insert(row.index(split.cluster) + 1, split.other)
    places: dict[int, float] = {}  # of clusters, along the axis
    here = 0.0
    for row in leaves.values():
        places |= {cluster: here + k for k, cluster in enumerate(row)}
        here += len(row) + 1
    least = LEAST * max(split.scatter for split in splits)
    shapes = []
    for split in reversed(splits):  # from the leaves up
        left, right = places[split.cluster], places[split.other]
        heights = [max(value, least) for value in (split.scatter_here, split.scatter, split.scatter_beyond)]
        shapes.append(([left, left, right, right], [heights[0], heights[1], heights[1], heights[2]]))
        places[split.cluster] = (left + right) / 2
    return shapes[::-1]
