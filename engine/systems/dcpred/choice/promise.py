"""What a compressed model promises, the candidates for it, and what was chosen."""

from dataclasses import dataclass, field
from typing import Any

MODEST = 500.0  # inner products: an exact model of no more is cheap, and kept without a word
CONFIDENCE = 0.5  # standard errors that an estimate of loss is raised by before it is believed
# The part of the allowed loss that may be used on the rows put aside: new data differ more than these do. It is smaller
# where a prediction is far cheaper than the exact model's, so that there is room; the second comes with a cost of
# 1 / CHEAP of the exact model's.
AIMS, CHEAP = (0.3, 0.7), 17.0


@dataclass(frozen=True)
class Promise:
    """At most `max_loss` lost against the exact model, and at most `max_cost` inner products; None is no limit.

    The loss is a difference of accuracies, or in a regression the relative increase of the root mean square error.
    """

    max_loss: float | None
    max_cost: float | None
    exact_cost: float = 0.0  # of the exact model

    def aim(self, cost: float) -> float:
        """The part of `max_loss` that a model with this cost may use."""
        least, most = AIMS
        return min(max(least, most * CHEAP * cost / max(self.exact_cost, 1e-9)), most)

    def keeps_loss(self, tried: "Tried") -> bool:
        """Whether the loss is small enough, with room for the few rows that it was estimated on, and for new data."""
        limit = self.max_loss
        raised = tried.loss + CONFIDENCE * tried.error
        return limit is None or (tried.loss <= self.aim(tried.cost) * limit and raised <= limit)

    def seems_to_keep_loss(self, tried: "Tried") -> bool:
        """Whether the loss is small enough on the rows that it was estimated on."""
        return self.max_loss is None or tried.loss <= self.max_loss

    def keeps_cost(self, tried: "Tried") -> bool:
        """Whether a prediction is cheap enough."""
        return self.max_cost is None or tried.cost <= self.max_cost


@dataclass(frozen=True)
class Candidate:
    """A structure of compressed models: how many leaves, landmarks and pseudo-landmarks."""

    n_leaves: int
    landmarks: int | None  # of a leaf at most; None is as many as `landmark_ratio` says
    reach: float  # rows around a leaf that its model is fitted to as well, for each row in it
    pseudo: str
    pseudo_ratio: float


@dataclass(frozen=True)
class Tried:
    """A candidate with what was found on the rows put aside."""

    candidate: Candidate
    loss: float  # against the exact model
    error: float  # standard error of the loss
    quality: float  # accuracy, or root mean square error
    cost: float  # inner products for a prediction
    rows: int  # that it was compared on: not all of them if it was clearly worse


@dataclass(frozen=True)
class Chosen:
    """What was chosen, and why. `qualified` says whether the promise is kept by a compressed model."""

    candidate: Candidate | None  # None: the exact model was kept
    qualified: bool
    loss: float  # estimated, against the exact model
    error: float  # standard error of `loss`
    cost: float  # inner products for a prediction, estimated
    exact_quality: float  # of the exact model on the rows put aside
    exact_cost: float
    rows_aside: int
    max_loss: float | None
    max_cost: float | None
    why: str
    tried: tuple[Tried, ...] = field(default=(), repr=False)

    def warning(self) -> str | None:
        """What a user should know if the promise is not kept, with the numbers; None if there is nothing to say."""
        untold = self.candidate is None or self.loss != self.loss
        if self.qualified or (untold and self.max_cost is None and self.exact_cost <= MODEST):
            return None
        limits = [f"max_loss={self.max_loss:g}"] if self.max_loss is not None else []
        limits += [f"max_cost={self.max_cost:g}"] if self.max_cost is not None else []
        lost = "unknown" if self.loss != self.loss else f"{self.loss:.4f} (standard error {self.error:.4f})"
        return (
            f"no compressed model keeps {' and '.join(limits)}; {self.why}. The estimated loss is {lost}, the cost "
            f"{self.cost:.1f} inner products for a prediction, that of the exact model {self.exact_cost:.1f}"
        )

    def table(self) -> dict[str, Any]:
        """In plain values, for a file."""
        own = {name: value for name, value in vars(self).items() if name not in ("candidate", "tried")}
        candidate = None if self.candidate is None else vars(self.candidate)
        return {
            **own,
            "candidate": candidate,
            "tried": [{**vars(item), "candidate": vars(item.candidate)} for item in self.tried],
        }

    @classmethod
    def of(cls, table: dict[str, Any]) -> "Chosen":
        """The inverse of `table`."""
        values = dict(table)
        candidate = None if values["candidate"] is None else Candidate(**values["candidate"])
        tried = tuple(Tried(**{**item, "candidate": Candidate(**item["candidate"])}) for item in values["tried"])
        return cls(**{**values, "candidate": candidate, "tried": tried})
