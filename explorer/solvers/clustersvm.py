"""ClusterSVM on the stage: its story, its listing, its charts, its presets."""

import html

import numpy as np

from engine.events import (
    ActiveSetChanged,
    ClusterFinished,
    ClustersMade,
    ClusterSplit,
    ClustersRevised,
    Event,
    ExactnessChecked,
    Iteration,
    PassFinished,
    PhaseBegan,
    ReducedSetMade,
    ReducedTrained,
    RepresentativesChosen,
    Started,
)
from explorer.charts import ACCURACY, GAP, Chart
from explorer.clusters import LAYERS as CLUSTER_LAYERS
from explorer.clusters import OUTCOMES, ClusterMarks
from explorer.passes import PassesView
from explorer.replay import Replay
from explorer.scene import LAYERS, SHOWN
from explorer.solvers import Act, dual
from explorer.theme import GREEN, NEGATIVE, POSITIVE
from explorer.units import count, number, seconds

REDUCED = Chart(
    "reduced-set",
    "How many points are trained on?",
    "linear",
    {"reduced": (NEGATIVE, "trained on"), "support": (POSITIVE, "support vectors"), "all": (GREEN, "of all")},
)
STOPS = {**dual.STOPS, "passes": "there were passes enough", "stalled": "another pass would change nothing"}


def _curves(replay: Replay, event: Event) -> dict[str, float]:
    if not isinstance(event, Iteration):
        return {}
    grouping = replay.frame_of(event).grouping
    reduced = grouping.reduced if grouping is not None else None
    return {
        "violation": event.violation or np.nan,
        "support": event.n_free + event.n_bound,
        **({} if reduced is None else {"reduced": reduced.size, "all": reduced.n}),
    }


def _line(event: Event | None) -> str:
    match event:
        case PhaseBegan(name="clusters") | ClusterSplit() | ClustersMade():
            return "divide"
        case RepresentativesChosen() | ReducedSetMade():
            return "represent"
        case PhaseBegan(name="margins"):
            return "look"
        case PhaseBegan() | Iteration() | ActiveSetChanged() | ReducedTrained():
            return "train"
        case ClustersRevised():
            found = {"split": "split", "kept": "split", "replaced": "replace", "collapsed": "mean"}
            lines = {found[word] for word in event.outcomes if word in found}
            return " ".join({"look", *lines, *(("mean",) if event.n_collapsed else ())})
        case PassFinished():
            return "look"
        case ExactnessChecked() | ClusterFinished():
            return "done"
        case _:
            return "start"


def _story(replay: Replay, cursor: int) -> str:
    event = replay.event(cursor)
    match event:
        case Started():
            return (
                f"<b>Start.</b> {event.n:,} points in {event.d} dimensions, {html.escape(event.kernel)} kernel, with "
                "bias. Points that will not be support vectors need not be trained on: one may stand for many."
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
            return dual.story(replay, cursor)


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
        f"<b>Finished: {html.escape(event.stop_reason)}</b>, {STOPS.get(event.stop_reason, '')}. {exact}: {share}, "
        f"after {event.passes:,} pass{'es' * (event.passes != 1)}, {event.iterations:,} iterations and "
        f"{count(event.stamp.evaluations)} kernel evaluations in {seconds(event.stamp.seconds)}. Objective "
        f"{number(event.objective, 6)}; {event.n_free:,} free support vectors, {event.n_bound:,} bound ones."
    )


def _numbers(replay: Replay, cursor: int) -> dict[str, str]:
    event, frame = replay.event(cursor), replay.frame(cursor)
    if event is None or frame is None or frame.grouping is None:
        return {}
    grouping = frame.grouping
    numbers = {"clusters": count(len(grouping.clusters))}
    if grouping.reduced is not None:
        reduced = grouping.reduced
        numbers |= {"reduced set": f"{reduced.size:,} of {reduced.n:,}", "passes": str(reduced.passes)}
    if grouping.trained:
        bound = int(np.count_nonzero(frame.at_bound))
        numbers |= {"free SVs": count(int(np.count_nonzero(frame.support)) - bound), "bound SVs": count(bound)}
    told = next((known for known in (event, frame.event) if hasattr(known, "objective")), None)
    if told is not None:
        numbers |= {"objective": number(told.objective, 6)}
    return numbers | {
        "kernel evaluations": count(event.stamp.evaluations),
        "solver time": seconds(event.stamp.seconds),
    }


LISTING = (
    ("start", 0, r"$\mathcal{G} \leftarrow \{\mathcal{D}^+, \mathcal{D}^-\}$, the classes"),
    (
        "divide", 0, r"split the $\mathcal{D}' \in \mathcal{G}$ of largest scatter at its mean, across its principal "
        "direction; √n clusters a class",
    ),
    (
        "represent", 0, r"$\mathcal{D}_{red} \leftarrow$ single points $\cup\ \{x^p(\mathcal{D}') : \mathcal{D}' \in "
        r"\mathcal{G}\}$, $x^p$ the member nearest to the mean",
    ),
    ("train", 0, r"train an SVM on $\mathcal{D}_{red}$: $\;d(x) = \langle w, \Phi(x) \rangle + b$"),
    ("look", 0, r"for all $\mathcal{D}' \in \mathcal{G}$: has it members with $y\,d(x) \le 1$?"),
    (
        "split", 1, r"yes: $\mathcal{D}'_{sv} = \{x \in \mathcal{D}' : y\,d(x) \le 1\}$ are single now, the others "
        r"stay in $\mathcal{D}'$",
    ),
    (
        "mean", 1, r"those deep inside, with Condition 2: $\Phi_0 = \frac{1}{n_1}\sum_i \Phi(x_i)$, "
        r"$0 \le \alpha_0 \le n_1 C$",
    ),
    ("replace", 1, r"no: $x^p(\mathcal{D}')$ goes on standing for $\mathcal{D}'$"),
    (
        "done", 0, r"… until $y\,d(x) > 1\ \ \forall x \in \mathcal{D}_{unused}$: then it is exact; or after "
        r"$NP_{\max}$ passes",
    ),
)  # fmt: skip

ACT = Act(
    solver="clustersvm",
    summary="Clusters within each class, one point stands for each; those that the margin cuts are split and trained "
    "on again, pass by pass, until the answer is the exact one.",
    listing=LISTING,
    line=_line,
    story=_story,
    numbers=_numbers,
    view=PassesView,
    shown=(
        "kernel", "C", "gamma", "degree", "coef0", "n_clusters", "clustering", "max_passes", "collapse_bound",
        "working_set", "tol", "seed",
    ),
    charts=(GAP, REDUCED, ACCURACY),
    curves=_curves,
    overlay=ClusterMarks,
    layers=(*LAYERS, *CLUSTER_LAYERS),
    layers_shown=(*(name for name in SHOWN if name not in ("working set", "points")), *CLUSTER_LAYERS),
)  # fmt: skip
