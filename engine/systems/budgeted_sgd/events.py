"""The events of Budgeted SGD."""

from dataclasses import dataclass

from engine.runtime.events import Array, Event, Finished


@dataclass(frozen=True, eq=False, kw_only=True)
class BudgetChosen(Event):
    """The budget and lambda were chosen on training rows that were held back, before the run began."""

    budget: int
    decay: float  # lambda
    rows: int  # trained on
    held: int  # and judged by
    budgets: Array  # what was tried, in turn
    decays: Array
    accuracies: Array
    accuracy: float  # of the chosen one
    exact: float  # of the exact model of the same rows
    error: float  # the standard error of the difference of the two


@dataclass(frozen=True, eq=False, kw_only=True)
class StepsTaken(Event):
    """Some steps were made. Counts are exact and go from the beginning of the run.

    Objective and accuracy are those of a sample of the training data. The decision value of a point is the sum of
    coefficient * K(vector, point).
    """

    thins = True

    step: int
    steps: int  # of the whole run
    epoch: int
    size: int  # vectors in the budget
    violations: int
    maintained: int
    removed: int  # of these, vectors that were dropped instead of merged
    objective: float  # |w|^2 / 2 + C * the sum of losses
    accuracy: float
    vectors: Array  # a row for each vector of the budget, as the data have them
    coefficients: Array  # signed
    sources: Array  # the training point that a vector is, or -1 if it was merged


@dataclass(frozen=True, eq=False, kw_only=True)
class BudgetMaintained(Event):
    """The budget was exceeded, and one vector was merged, removed or projected. A long run reports only some of these.

    `vectors`, `coefficients` and `sources` are those before; `first`, `partner` and `candidates` are rows of them.
    Without a partner the first vector is dropped, and in a projection the `shares` go to the others.
    """

    thins = True

    step: int
    number: int  # from 1, counting those that are not reported
    strategy: str
    kind: str  # merge, removal or projection
    vectors: Array
    coefficients: Array
    sources: Array
    first: int  # the vector with the smallest coefficient
    candidates: Array  # the vectors of its label
    m: Array  # for each candidate: the first vector's part in the sum of the two coefficients
    kappa: Array  # the kernel value between the two
    degradations: Array  # what merging them loses, as the strategy sees it
    partner: int  # the candidate that loses least, or -1
    h: float  # z = h first + (1 - h) partner
    z: Array
    coefficient: float  # of z
    degradation: float  # |w' - w|^2
    shares: Array

    def after(self) -> tuple[Array, Array, Array]:
        """All three after it: z in the partner's place, the last vector in that of the first."""
        vectors, coefficients, sources = self.vectors.copy(), self.coefficients.copy(), self.sources.copy()
        if self.partner >= 0:
            vectors[self.partner], coefficients[self.partner], sources[self.partner] = self.z, self.coefficient, -1
        for values in (vectors, coefficients, sources):
            values[self.first] = values[-1]
        coefficients = coefficients[:-1]
        return vectors[:-1], coefficients + self.shares if len(self.shares) else coefficients, sources[:-1]


@dataclass(frozen=True, eq=False, kw_only=True)
class StrategiesCompared(Event):
    """What each merging strategy would have done at the merges that were examined (Table 3).

    The factor is the sum of degradations over that of gss-precise, each merged as the strategy wants it.
    """

    step: int
    maintained: int
    frequency: float  # of maintenance: times in a step
    compared: int
    strategies: list[str]
    agreement: Array  # how often the partner was that of gss-precise
    equal: float  # how often gss and lookup-wd chose the same one
    factor: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class MergesReplayed(Event):
    """Some merges of the run were repeated. The time since the event before is what they took (Figure 3).

    Section A is the search for h or WD among the candidates of each merge; B, the same for every strategy, the rest.
    """

    section: str
    strategy: str  # empty for B
    merges: int


@dataclass(frozen=True, eq=False, kw_only=True)
class BudgetFinished(Finished):
    """Budgeted SGD is done: passes are its iterations, steps its inner ones; what only a dual solver knows is NaN.

    At the end of several tasks there are no vectors or coefficients, and the accuracy is the mean.
    """

    size: int
    violations: int
    maintained: int
    removed: int
    accuracy: float  # on the sample of the training data; it and the objective as they were measured last
    vectors: Array
    coefficients: Array
    sources: Array
