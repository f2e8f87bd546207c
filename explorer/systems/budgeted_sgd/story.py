"""The story of Budgeted SGD: what just happened, in words."""

import html

from engine.runtime.events import PhaseBegan, Started
from engine.systems.budgeted_sgd.choice import USUAL
from engine.systems.budgeted_sgd.events import (
    BudgetChosen,
    BudgetFinished,
    BudgetMaintained,
    MergesReplayed,
    StepsTaken,
    StrategiesCompared,
)
from explorer.replay.lookup import Replay
from explorer.stage.story import common_story
from explorer.style.number_format import count, number, seconds

STOPS = {"passes": "all passes done"}


KINDS = {"merge": "Merge", "removal": "Removal", "projection": "Projection"}


def story(replay: Replay, cursor: int) -> str:
    """What just happened, as HTML."""
    event = replay.event(cursor)
    match event:
        case Started():
            settings = replay.settings
            return (
                f"<b>Start.</b> {event.n:,} points in {event.d} dimensions, γ = {number(event.gamma)}, at most "
                f"{budget_of(replay):,} vectors. A point at a time, {settings.epochs:,} passes; nothing is known yet, "
                "so the first point goes straight into the budget."
            )
        case BudgetChosen():
            return _chosen(event)
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
        case _:
            return common_story(replay, cursor)


def budget_of(replay: Replay) -> int:
    """The budget of a run: as set, or as it was chosen; before that none."""
    chosen = [event.budget for event in replay.recording if isinstance(event, BudgetChosen)]
    asked = replay.settings.budget
    return int(chosen[0] if chosen else asked if asked != "auto" else USUAL)


def _chosen(event: BudgetChosen) -> str:
    tried = ", ".join(
        f"{budget:,} vectors with λ = {number(float(decay), 3)}: {100 * accuracy:.1f} %"
        for budget, decay, accuracy in zip(event.budgets, event.decays, event.accuracies, strict=True)
    )
    return (
        f"<b>Chosen: {event.budget:,} vectors, λ = {number(event.decay, 3)}.</b> {event.held:,} training points were "
        f"held back and {event.rows:,} trained on. Right were, with {tried}; with the exact model of the same points "
        f"{100 * event.exact:.1f} %."
    )


def _steps(replay: Replay, event: StepsTaken) -> str:
    full = "The budget is full." if event.size >= budget_of(replay) else "There is still room."
    return (
        f"<b>Step {event.step:,} of {event.steps:,}.</b> {event.violations:,} points so far were not beyond the margin "
        f"and went into the budget; {event.maintained:,} times that was one vector too many. {event.size:,} of "
        f"{budget_of(replay):,} vectors are in use. {full}"
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
