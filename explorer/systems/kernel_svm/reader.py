"""TODO: what this is."""

from typing import TYPE_CHECKING, Any

from explorer.systems.clustersvm import reader

if TYPE_CHECKING:
    from explorer.replay.lookup import Replay


def _iteration(replay: "Replay", event: Any, n: int) -> dict[str, Any]:
    """A step of a solver of the dual problem, which keeps the gradient; ClusterSVM's has clusters, too."""
    clustered = replay.recording.header.solver == "clustersvm"
    return {
        "alpha": event.alpha, "gradient": event.gradient, "active": event.active, "intercept": event.intercept,
        "working_set": event.working_set,
        "grouping": reader.grouping_at(replay.past(event), n)[2] if clustered else None,
    }  # fmt: skip
