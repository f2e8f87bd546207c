"""Budgeted SGD on the stage: its story, its listing, its charts, its presets."""

import html

from engine.events import (
    BudgetFinished,
    BudgetMaintained,
    Event,
    Failed,
    MergesReplayed,
    PhaseBegan,
    Started,
    StepsTaken,
    StrategiesCompared,
)
from explorer.charts import ACCURACY, Chart
from explorer.merges import LAYERS as MERGE_LAYERS
from explorer.merges import Merges
from explorer.player import STEP_SIZES
from explorer.replay import Replay
from explorer.scene import LAYERS, SHOWN
from explorer.solvers import Act, dual
from explorer.surfaces import MergeView
from explorer.theme import GREEN, NEGATIVE, POSITIVE
from explorer.units import count, number, seconds

CHARTS = (
    Chart("objective", "How large is the primal objective?", "log", {"objective": (NEGATIVE, "estimate")}),
    Chart(
        "frequency",
        "How many steps in 100 …?",
        "linear",
        {"violated": (POSITIVE, "violate the margin"), "maintained": (GREEN, "fill it up")},
    ),
    ACCURACY,
)
STOPS = {"passes": "all passes done"}
KINDS = {"merge": "Merge", "removal": "Removal", "projection": "Projection"}


def _curves(replay: Replay, event: Event) -> dict[str, float]:
    assert isinstance(event, StepsTaken)
    return {
        "objective": event.objective,
        "violated": 100 * event.violations / event.step,
        "maintained": 100 * event.maintained / event.step,
    }


def _line(event: Event | None) -> str:
    match event:
        case StepsTaken():
            return "shrink add"
        case BudgetMaintained():
            return "first partner merge"
        case StrategiesCompared() | MergesReplayed() | BudgetFinished():
            return "done"
        case PhaseBegan():
            return "pass"
        case _:
            return "start"


def _story(replay: Replay, cursor: int) -> str:
    event = replay.event(cursor)
    match event:
        case Started():
            settings = replay.settings
            return (
                f"<b>Start.</b> {event.n:,} points in {event.d} dimensions, γ = {number(event.gamma)}, at most "
                f"{settings.budget:,} vectors. A point at a time, {settings.epochs:,} passes; nothing is known yet, so "
                "the first point goes straight into the budget."
            )
        case PhaseBegan():
            return (
                f"<b>{html.escape(event.name.capitalize())}</b> of {replay.settings.epochs:,}: {event.size:,} points."
            )
        case StepsTaken():
            return _steps(replay, event)
        case BudgetMaintained():
            return _maintained(replay, event)
        case StrategiesCompared():
            named = ", ".join(
                f"{html.escape(name)} {100 * share:.1f} % (×{number(factor, 4)})"
                for name, share, factor in zip(event.strategies, event.agreement, event.factor, strict=True)
            )
            return (
                f"<b>The strategies compared</b> on {event.compared:,} merges: how often each chose the partner that "
                f"the precise search chooses, and how much more it lost: {named}. One step in "
                f"{number(1 / max(event.frequency, 1e-12), 3)} was followed by a merge."
            )
        case MergesReplayed():
            what = f"Section A with {html.escape(event.strategy)}" if event.strategy else "Section B"
            return f"<b>Timing.</b> {event.merges:,} merges of this run are done again. {what}."
        case BudgetFinished():
            last = [past for past in replay.recording if isinstance(past, StepsTaken)]
            spent = last[-1].stamp.seconds if last else event.stamp.seconds  # what follows is for the instruments
            way = {"removal": "removals", "projection": "projections"}.get(replay.settings.maintenance, "merges")
            why = STOPS.get(event.stop_reason, event.stop_reason)
            return (
                f"<b>Finished: {html.escape(why)}.</b> {event.inner_steps:,} steps, {event.violations:,} "
                f"of which violated the margin, and {event.maintained:,} {way} took {seconds(spent)}, with the "
                f"pictures of them, and {count(event.stamp.evaluations)} kernel evaluations. "
                f"{event.size:,} vectors are left; {100 * event.accuracy:.1f} % of a sample of the training points are "
                "right."
            )
        case Failed():
            return dual.story(replay, cursor)
        case _:
            return "Nothing has happened yet."


def _steps(replay: Replay, event: StepsTaken) -> str:
    full = "The budget is full." if event.size >= replay.settings.budget else "There is still room."
    return (
        f"<b>Step {event.step:,} of {event.steps:,}.</b> {event.violations:,} points so far were not beyond the margin "
        f"and went into the budget; {event.maintained:,} times that was one vector too many. {event.size:,} of "
        f"{replay.settings.budget:,} vectors are in use. {full}"
    )


def _maintained(replay: Replay, event: BudgetMaintained) -> str:
    text = f"<b>{KINDS.get(event.kind, html.escape(event.kind))} {event.number:,}.</b> "
    smallest = abs(float(event.coefficients[event.first]))
    text += f"There were {len(event.coefficients):,} vectors. The smallest, |α| = {number(smallest, 3)}, "
    if event.kind == "removal":
        return text + f"is dropped: ‖Δw‖² = α² = {number(event.degradation, 3)}."
    if event.kind == "projection":
        return text + f"is spread over all others; {number(event.degradation, 3)} could not be."
    won = event.candidates == event.partner
    m, kappa = float(event.m[won][0]), float(event.kappa[won][0])
    return text + (
        f"has {len(event.candidates):,} possible partners of its class. The one that costs least has "
        f"m = {number(m, 3)}, κ = {number(kappa, 3)}: both move to z at h = {number(event.h, 3)}, with "
        f"α = {number(event.coefficient, 3)}. Lost: ‖Δw‖² = {number(event.degradation, 3)}, "
        f"by {html.escape(event.strategy)}."
    )


def _numbers(replay: Replay, cursor: int) -> dict[str, str]:
    event, frame = replay.event(cursor), replay.frame(cursor)
    if event is None or frame is None or frame.budget is None:
        return {}
    told = [past for past in replay.recording[: cursor + 1] if isinstance(past, StepsTaken)]
    told = [past for past in told if past.stamp.path == frame.event.stamp.path]
    numbers = {
        "vectors": f"{len(frame.budget.coefficients):,} of {replay.settings.budget:,}",
        "largest |α|": number(float(abs(frame.budget.coefficients).max(initial=0.0)), 3),
    }
    if isinstance(frame.event, BudgetMaintained):
        numbers["too many, so far"] = count(frame.event.number)
    elif told:
        numbers["too many, so far"] = count(told[-1].maintained)
    if told:
        numbers |= {"violations": count(told[-1].violations), "objective, about": number(told[-1].objective, 5)}
    return numbers | {
        "kernel evaluations": count(event.stamp.evaluations),
        "solver time": seconds(event.stamp.seconds),
    }


LISTING = (
    ("start", 0, r"$w \leftarrow 0,\quad \lambda \leftarrow \frac{1}{nC}$"),
    ("pass", 0, "for each pass, for each point $(x, y)$ in random order"),
    ("shrink", 1, r"$\eta \leftarrow \frac{1}{\lambda t},\quad w \leftarrow (1 - \lambda\eta)\,w$"),
    ("add", 1, r"if $y f(x) < 1$: $w \leftarrow w + \eta\, y\, \varphi(x)$"),
    ("first", 2, r"more than $B$ vectors: take the one with the smallest $|\alpha_i|$"),
    ("partner", 2, r"$j \leftarrow$ partner of least $\alpha_i^2 + \alpha_j^2 + 2\alpha_i\alpha_j\kappa - \alpha_z^2$"),
    ("merge", 2, r"$z \leftarrow h x_i + (1-h) x_j,\quad \alpha_z \leftarrow (\alpha_i + \alpha_j)\, s(h)$"),
    ("done", 0, r"$h, WD$: tables over $m = \frac{\alpha_i}{\alpha_i + \alpha_j}$ and $\kappa = K(x_i, x_j)$"),
)  # fmt: skip

ACT = Act(
    solver="budgeted-sgd",
    summary="A point at a time, and never more than so many vectors: when there is one too many, two merge into one, "
    "by a table that is looked up.",
    listing=LISTING,
    line=_line,
    story=_story,
    numbers=_numbers,
    view=MergeView,
    shown=("C", "gamma", "budget", "epochs", "maintenance", "table_size", "instruments", "seed"),
    charts=CHARTS,
    curves=_curves,
    overlay=Merges,
    layers=(*(name for name in LAYERS if name != "working set"), *MERGE_LAYERS),
    layers_shown=(*(name for name in SHOWN if name != "working set"), *MERGE_LAYERS),
    step_sizes=(*STEP_SIZES, "merge"),
)
