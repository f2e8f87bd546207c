"""The kernel perceptron on the stage: its story, its listing, a chart, and a figure of its own."""

from bokeh.models import ColumnDataSource

from engine.events import Finished, PhaseBegan
from explorer.figures.charts import ACCURACY, Chart
from explorer.figures.tile import tile
from explorer.figures.view import View
from explorer.stage.presentation import Presentation
from explorer.stage.story import common_story
from explorer.style.theme import POSITIVE
from kernel_perceptron.system import MistakeMade


def story(replay, cursor):
    """What just happened."""
    event = replay.event(cursor)
    if isinstance(event, MistakeMade):
        alpha = int(event.alpha[event.point])
        return (
            f"<b>Mistake {event.iteration:,}.</b> Point {event.point:,} is on the wrong side: its α is now {alpha:,}."
        )
    return common_story(replay, cursor)


def line(event):
    """The lines of the listing that are lit."""
    return {MistakeMade: "wrong", PhaseBegan: "pass", Finished: "done"}.get(type(event), "start")


class MistakesByPass(View):
    """A bar for each pass."""

    def __init__(self, dark):
        super().__init__(dark)
        self._bars = ColumnDataSource({"epoch": [], "mistakes": []})
        plot = tile("mistakes-by-pass", "Mistakes in each pass")
        plot.vbar(x="epoch", top="mistakes", width=0.8, source=self._bars, color=POSITIVE)
        self.plots = [plot]
        self.restyle(dark)

    def draw(self, replay, cursor, frame, pinned):
        """Count the mistakes up to the cursor."""
        counts = []
        for event in replay.past(replay.event(cursor)):
            if isinstance(event, PhaseBegan):
                counts.append(0)
            elif isinstance(event, MistakeMade):
                counts[-1] += 1
        self._bars.data = {"epoch": list(range(1, len(counts) + 1)), "mistakes": counts}
        self.plots[0].x_range.update(start=0.4, end=len(counts) + 0.6)
        self.plots[0].y_range.update(start=0, end=1.2 * max(counts, default=1) or 1)

    def clear(self):
        """Show nothing."""
        self._bars.data = {"epoch": [], "mistakes": []}


PRESENTATION = Presentation(
    solver="perceptron",
    summary="One point after the other: whenever one is on the wrong side, its α grows by 1.",
    shown=("kernel", "gamma", "degree", "coef0", "epochs", "seed"),
    listing=(
        ("start", 0, r"$\alpha \leftarrow 0$"),
        ("pass", 0, "in each pass, for each point $(x_i, y_i)$ in random order"),
        ("wrong", 1, r"if $y_i \sum_j \alpha_j y_j K(x_j, x_i) \le 0$: $\ \alpha_i \leftarrow \alpha_i + 1$"),
        ("done", 0, "until a pass makes no mistake"),
    ),
    line=line,
    story=story,
    view=MistakesByPass,
    charts=(Chart("mistakes", "How many mistakes?", "linear", {"iteration": (POSITIVE, "so far")}), ACCURACY),
    hint="Click a point to see how often it was on the wrong side",
)
