"""The story of ClusterSVM: what just happened, in words."""

import html

import numpy as np

from engine.runtime.events import PhaseBegan, Started
from engine.systems.clustersvm.events import (
    ClusterFinished,
    ClustersMade,
    ClusterSplit,
    ClustersRevised,
    ExactnessChecked,
    PassFinished,
    ReducedSetMade,
    ReducedTrained,
    RepresentativesChosen,
)
from explorer.replay.lookup import Replay
from explorer.stage.story import finished, started
from explorer.style.number_format import count, number, seconds
from explorer.systems.clustersvm.overlay import OUTCOMES
from explorer.systems.kernel_svm.story import STOPS as DUAL_STOPS
from explorer.systems.kernel_svm.story import story as dual_story

STOPS = {**DUAL_STOPS, "passes": "there were passes enough", "stalled": "another pass would change nothing"}


def story(replay: Replay, cursor: int) -> str:
    """What just happened, as HTML."""
    event = replay.event(cursor)
    match event:
        case Started():
            return (
                f"{started(event, with_gamma=False)} Points that will not be support vectors need not be trained on: "
                "one may stand for many."
            )
        case PhaseBegan(name="clusters"):
            how = "PDDP" if replay.settings.clustering == "pddp" else "k-means"
            return f"<b>Clusters.</b> Each class by itself is divided by {how}; {event.size:,} points in all."
        case PhaseBegan(name="margins"):
            return f"<b>Look at all.</b> What does the new SVM say of each of the {event.size:,} points?"
        case PhaseBegan(name="initial SVM"):
            return f"<b>The initial SVM</b> is trained on {event.size:,} points: one for each cluster."
        case PhaseBegan() if event.name.startswith("pass "):
            number_ = html.escape(event.name.removeprefix("pass "))
            return f"<b>Pass {number_}.</b> Train again, on {event.size:,} points, from where the last SVM stood."
        case ClusterSplit():
            return _split(replay, event)
        case ClustersMade():
            sizes = event.sizes
            return (
                f"<b>{len(sizes):,} clusters</b> of {sizes.min():,} to {sizes.max():,} points, "
                f"{number(float(sizes.mean()), 3)} on average; none has points of two classes."
            )
        case RepresentativesChosen():
            return _chosen(event)
        case ReducedSetMade():
            return _reduced(event)
        case ReducedTrained():
            which = f"The SVM of pass {event.passes}" if event.passes else "The initial SVM"
            return (
                f"<b>{which} is trained</b>, on {event.size:,} points in {event.iterations:,} iterations: "
                f"{event.n_free:,} free support vectors, {event.n_bound:,} bound ones, objective "
                f"{number(event.objective, 6)}."
            )
        case ClustersRevised():
            return _revised(event)
        case PassFinished():
            gained = event.objective_before - event.objective
            return (
                f"<b>Pass {event.passes} is finished.</b> The reduced set went from {event.before:,} to {event.size:,} "
                f"of {event.n:,} points, the objective down by {number(gained, 3)} to {number(event.objective, 6)}."
            )
        case ExactnessChecked():
            return _checked(event)
        case ClusterFinished():
            return _finished(event)
        case _:
            return dual_story(replay, cursor)


def _split(replay: Replay, event: ClusterSplit) -> str:
    beyond = int(np.count_nonzero(event.beyond))
    left = (event.scatter_here + event.scatter_beyond) / event.scatter if event.scatter else 1.0
    return (
        f"<b>PDDP splits a cluster</b> of class {html.escape(str(replay.classes[event.class_number]))}, the one with "
        f"the largest scatter ({number(event.scatter, 3)}): at its mean, across its principal direction. "
        f"{len(event.members) - beyond:,} points are on this side and {beyond:,} beyond; "
        f"{100 * left:.0f} % of the scatter is left."
    )


def _chosen(event: RepresentativesChosen) -> str:
    alive = int(np.count_nonzero(event.sizes))
    means = int(np.count_nonzero(event.means & (event.sizes > 0)))
    text = (
        f"<b>Who stands for whom.</b> {alive - means:,} clusters have a pseudo-centre, the member nearest to the mean"
    )
    text += f"; {means:,} have their mean, with the bound n₁C" if means else ""
    single = int(np.count_nonzero(event.labels < 0))
    return text + (f". {single:,} points are on their own." if single else ".")


def _reduced(event: ReducedSetMade) -> str:
    parts = [(event.n_single, "on their own"), (event.n_centres, "pseudo-centres"), (event.n_means, "means")]
    told = ", ".join(f"{size:,} {what}" for size, what in parts if size)
    return (
        f"<b>The reduced set</b> has {event.size:,} of {event.n:,} points ({100 * event.size / event.n:.0f} %): {told}"
        ". The faint points are not trained on."
    )


def _revised(event: ClustersRevised) -> str:
    which = f"that of pass {event.passes}" if event.passes else "the initial one"
    told = ", ".join(_in_colour(event.outcomes.count(word), word) for word in OUTCOMES if word in event.outcomes)
    text = f"<b>What becomes of the clusters</b>, by the SVM at hand, {which}: {told}. "
    if not event.n_released and not event.n_collapsed:
        return text + "No member is within the margin: nothing is left to split, and the answer is the exact one."
    text += f"{event.n_released:,} members with y d(x) ≤ 1 are on their own from now on"
    return text + (f"; {event.n_collapsed:,} deep inside it go below a mean." if event.n_collapsed else ".")


def _in_colour(size: int, word: str) -> str:
    colour, dash = OUTCOMES[word]
    line = dash if dash in ("solid", "dashed", "dotted") else "double"
    return f'<span style="border-bottom: 3px {line} {colour}">{size:,} {word}</span>'


def _checked(event: ExactnessChecked) -> str:
    if event.exact:
        return (
            f"<b>Exact.</b> Of all original points none violates its conditions by more than {event.violation:.3g}: "
            f"the SVM of the reduced set is that of all points (Proposition 2.2). Gap {number(event.gap, 3)}."
        )
    return (
        f"<b>Not exact.</b> {event.n_violators:,} points are within the margin and nothing was trained on them; the "
        f"worst violates by {event.violation:.3g}. The gap to the exact answer is at most {number(event.gap, 3)}. "
        "Another pass would take them in."
    )


def _finished(event: ClusterFinished) -> str:
    exact = "The answer is the exact one" if event.exact else "The answer is near the exact one, and not it"
    share = f"trained on {event.size:,} of {event.n:,} points" if event.size else "nothing was trained"
    return (
        f"{finished(event, STOPS)} {exact}: {share}, after {event.passes:,} pass{'es' * (event.passes != 1)}, "
        f"{event.iterations:,} iterations and {count(event.stamp.evaluations)} kernel evaluations in "
        f"{seconds(event.stamp.seconds)}. Objective {number(event.objective, 6)}; {event.n_free:,} free support "
        f"vectors, {event.n_bound:,} bound ones."
    )
