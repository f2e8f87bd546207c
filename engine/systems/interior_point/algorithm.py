"""The incremental interior-point method (Wu, Chang, Chen and Hughes, KDD 2006): coarse factorisation first, then fine.

    factorise K coarsely; take some steps along the central path; factorise it finely, or hand over to decomposition;
    go on from there

A fine incomplete Cholesky factor keeps the columns of a coarse one. The problem that is solved is that of the
factorisation; the bias comes from the exact kernel, and events also have the objective and gap of the exact problem.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.optimisation.central_path import CentralPath
from engine.optimisation.dual_problem import Problem
from engine.optimisation.solution import Solution
from engine.runtime.errors import invalid
from engine.runtime.events import Array, Event, PhaseBegan, Started, Steps, Stop, finish, passed_on
from engine.runtime.threads import SPREAD, with_serial_blas
from engine.systems.interior_point.diagnostics import SCREEN, factorised, pivots_since
from engine.systems.interior_point.events import ColdStart, InteriorFinished, InteriorIteration, SchemeSwitched
from engine.systems.interior_point.exact_problem import ExactProblem
from engine.systems.interior_point.expansion import Expansion, best_expansion
from engine.systems.interior_point.factors.full_cholesky import FullCholesky
from engine.systems.interior_point.factors.incomplete_cholesky import IncompleteCholesky
from engine.systems.interior_point.factors.kronecker import Kronecker
from engine.systems.interior_point.settings import InteriorPointSettings
from engine.systems.kernel_svm import algorithm as kernel_svm
from engine.systems.kernel_svm.events import ActiveSetChanged, Iteration
from engine.systems.kernel_svm.settings import DualSettings

ERROR = 1e-3  # part of the trace at which an automatic rank ends
COARSE_ERROR = 3e-4, 4e-3  # at which an automatic coarse one does, for a fine one that is given or automatic
TOO_INACCURATE = 1e-2  # part of the trace beyond which a coarse factor does not help
MOST_COLUMNS = 500, 100, 2000  # of an automatic rank: so many, or one for so many points, up to a limit
COARSE = 0.5  # of the fine rank, at most, is an automatic coarse one: its iterations cost a quarter
SWITCH = 0.08  # mu as a part of C at which the fine one begins: nearer its own end, a coarse one no longer helps
NEWS = 12  # a factorisation is reported when its columns have grown by one in so many: at first each one
AUTOMATIC = "icf+icf"  # scheme
USELESS = 1.0, 0.1  # exact gap as a part of the objective, or, where it is not known, trace left: no answer to stop at
SINGLE = 1e-4  # tol from which float32 may do


@dataclass(frozen=True, eq=False)
class InteriorPointSolution(Solution):
    """The solution of the exact problem, as far as it is known, and of the factorised problem."""

    scheme: str = ""
    rank: int = 0
    error: float = np.nan
    approximate_objective: float = np.nan
    approximate_gap: float = np.nan
    vectors: Array = field(default_factory=lambda: np.empty(0, int))
    coefficients: Array = field(default_factory=lambda: np.empty(0))
    reason: str = ""

    def expansion(self, signs: Array) -> tuple[Array, Array]:
        """Over support vectors or over pivots: see `expansion`."""
        return self.vectors, self.coefficients

    def event(self) -> InteriorFinished:
        """The closing event of the run."""
        values = {name: value for name, value in vars(self).items() if name != "gradient"}
        return InteriorFinished(**values)


def solve(problem: Problem, settings: InteriorPointSettings) -> Steps[InteriorPointSolution]:
    """Minimise the dual along the central path of one factorisation after the other.

    BLAS is limited to one thread all the time: row blocks are what runs in parallel, and threads of BLAS, which wait
    for each other by spinning, would delay a slice when other threads compute at the same time.
    """
    return with_serial_blas(_solve(problem, settings), SPREAD)


def _solve(problem: Problem, settings: InteriorPointSettings) -> Steps[InteriorPointSolution]:
    state = _State(problem, settings)
    first, _, second = scheme_of(settings).partition("+")
    try:
        yield Started(
            solver="interior-point", n=len(problem), d=problem.points.X.shape[1], kernel=problem.kernel.name,
            gamma=problem.kernel.gamma, bias=problem.bias, tol=settings.tol,
        )  # fmt: skip
        # Factorise K, coarsely if something follows, and take some steps.
        yield from state.factorise(first, coarse=second == "icf")
        if not state.coarse_is_too_inaccurate(second):
            yield from state.follow(
                settings.coarse_iter if second else settings.max_iter, SWITCH if second == "icf" else 0.0
            )
        if second == "icf":
            # Factorise finely, reusing the columns there are; go on from the iterate, if there is one.
            before = state.path
            yield from state.factorise("icf", coarse=False)
            yield from state.follow(settings.max_iter, 0.0, before)
        elif second == "decomposition":
            yield from state.decompose()
        if state.settled is None:
            yield from state.settle()
        if settings.scheme == "auto" and state.is_useless():
            yield from state.decompose()
        yield from state.start_again()
    except Stop as stop:
        state.stop_reason = stop.reason
    solution = state.solution()
    return (yield from finish(solution, solution.event()))


def scheme_of(settings: InteriorPointSettings) -> str:
    """What a run begins with."""
    return AUTOMATIC if settings.scheme == "auto" else str(settings.scheme)


class _State:
    """The state of the method."""

    def __init__(self, problem: Problem, settings: InteriorPointSettings) -> None:
        if not (problem.upper > 0).all():
            raise invalid("C", float(problem.upper.min()), "above 0 for each point: the method works inside the bounds")
        self.problem, self.settings, self.n = problem, settings, len(problem)
        self.factor: Any = None
        self.path: CentralPath | None = None
        self.exact = ExactProblem(problem, settings.instruments, settings.seed)
        self.shown = self.n <= SCREEN and not self.exact.silent
        self.warm = 0  # iterations from the iterate of a coarse factorisation to the end
        self.iterations = self.inner_steps = 0
        self.stop_reason = self.reason = ""
        self.solved: Solution | None = None  # by decomposition
        self.settled: tuple[Array, Array | None, float] | None = None  # alpha on its bounds, gradient, intercept
        self.expansion: Expansion | None = None  # if it is not simply the sum over alpha

    # ---- factorisations ----

    def factorise(self, kind: str, coarse: bool) -> Steps[None]:
        """Make the factor, or go on with the columns there are."""
        yield PhaseBegan(name=f"factorise · {kind}", size=self.n)
        if kind == "icf":
            if not isinstance(self.factor, IncompleteCholesky):
                self.factor = IncompleteCholesky(
                    self.problem, self.settings.tol >= SINGLE, self._pivots(), self.settings.seed
                )
            yield from self._extend(*self._target(coarse))
        else:
            self.factor = (
                FullCholesky(self.problem) if kind == "cholesky" else Kronecker(self.problem, self.settings.seed)
            )
            yield from self.factor.steps()
        yield factorised(self.factor, self.exact)

    def _pivots(self) -> str:
        """Greedy or random, as set, or as `tests.benchmarks ipm pivots` says is better."""
        greedy = self.problem.kernel.name == "linear"  # a column for each feature is all there is
        return str(self.settings.pivots) if self.settings.pivots != "auto" else "greedy" if greedy else "random"

    def coarse_is_too_inaccurate(self, second: str) -> bool:
        """Whether an automatic coarse factor misses so much of K that its iterations would not help the fine one."""
        automatic = (
            second == "icf" and isinstance(self.factor, IncompleteCholesky) and self.settings.coarse_rank == "auto"
        )
        return automatic and self.error > TOO_INACCURATE

    def _target(self, coarse: bool) -> tuple[int, float]:
        """Rank and residual trace at which a factorisation ends."""
        least, share, limit = MOST_COLUMNS
        automatic = min(self.n, max(least, min(self.n // share, limit)))
        rank, own = self.settings.rank, self.settings.coarse_rank
        most, error = (automatic, ERROR) if rank == "auto" else (min(int(rank), self.n), 0.0)
        if not coarse:
            return most, error
        if own != "auto":
            return min(int(own), most), error
        return max(1, int(COARSE * most)), COARSE_ERROR[rank == "auto"]

    def _extend(self, rank: int, error: float) -> Steps[None]:
        factor, reported = self.factor, self.factor.rank
        for _ in factor.extend(rank, error):
            if factor.rank - reported >= max(1, reported // NEWS):
                yield pivots_since(factor, reported, rank, self.shown)
                reported = factor.rank
            else:
                yield None
        if factor.rank > reported:
            yield pivots_since(factor, reported, rank, self.shown)

    @property
    def error(self) -> float:
        """The error of the factorisation."""
        return float(getattr(self.factor, "error", 0.0))

    # ---- the central path ----

    def follow(self, most: int, switch: float, before: CentralPath | None = None) -> Steps[None]:
        """Go along the factorisation's central path to its end, for so many iterations, or until mu / C is `switch`."""
        self.path = path = CentralPath(self.problem, self.factor)
        # A stop finds an iterate: the one before, or the start.
        path.set_start(before)
        rank = f" {self.factor.rank}" if isinstance(self.factor, IncompleteCholesky) else ""
        yield PhaseBegan(name=f"interior point · {self.factor.kind}{rank}", size=self.n)
        yield from path.begin(before)
        if before is not None:
            yield self._switched(before)
        count, enough = 0, switch * float(self.problem.upper.mean())
        while True:
            now = path.measures()
            yield from self._tell(now, count)
            self.stop_reason, self.reason = "", path.failure
            if now.within(self.settings.tol):
                self.stop_reason = "converged"
                self.warm = 0 if before is None else count
                return
            if path.failure or count == most or now.mu <= enough or self.iterations == self.settings.max_iter:
                self.stop_reason = "stalled" if path.failure else "max_iter"
                return
            yield from path.advance()
            count += 1
            self.iterations += 1

    def _tell(self, now: Any, of_phase: int) -> Steps[None]:
        path = self.path
        assert path is not None
        exact_objective, exact_gap = yield from self.exact.during_the_run(path.alpha, path.nu)
        products = path.products()
        yield InteriorIteration(
            iteration=self.iterations, of_phase=of_phase, kind=self.factor.kind, mu=now.mu, sigma=path.sigma,
            step=path.step, primal_residual=now.primal, dual_residual=now.dual, gap=now.gap,
            relative_gap=now.relative_gap, objective=now.objective, exact_objective=exact_objective,
            exact_gap=exact_gap, intercept=path.nu, refinements=path.refinements, alpha=path.alpha,
            products=products.astype(np.float32) if self.shown else np.empty((2, 0), np.float32),
            least_product=float(products.min()), largest_product=float(products.max()),
        )  # fmt: skip

    def _switched(self, before: CentralPath) -> SchemeSwitched:
        path = self.path
        assert path is not None
        columns = before.columns if before.factor is self.factor else 0
        return SchemeSwitched(
            before=before.factor.kind, after=self.factor.kind, iterations=self.iterations, columns=columns,
            pushed=self.n if path.moved else 0, mu_before=before.measures().mu, mu=path.measures().mu,
            alpha=path.alpha,
        )  # fmt: skip

    # ---- the end ----

    def decompose(self) -> Steps[None]:
        """Hand the iterate, put on its bounds, to the decomposition solver."""
        path, problem = self.path, self.problem
        assert path is not None
        alpha = path.on_bounds()
        yield SchemeSwitched(
            before=self.factor.kind, after="decomposition", iterations=self.iterations, columns=0, pushed=0,
            mu_before=path.measures().mu, mu=np.nan, alpha=alpha.copy(),
        )  # fmt: skip
        yield PhaseBegan(name="gradient", size=int(np.count_nonzero(alpha)))
        gradient = yield from problem.gradient_steps(alpha)
        yield PhaseBegan(name="decomposition", size=self.n)
        settings = DualSettings(tol=self.settings.tol, seed=self.settings.seed)
        try:
            steps = kernel_svm.solve(problem, settings, alpha, gradient)
            solved = yield from passed_on(steps, self._of_decomposition)
        except Stop as stop:
            self._take(stop.result)
            raise
        self._take(solved)
        if solved.stop_reason in ("cancelled", "time"):
            raise Stop(solved.stop_reason)

    def _of_decomposition(self, event: Any) -> Event | None:
        return event if isinstance(event, Iteration | ActiveSetChanged) else None

    def _take(self, solved: Solution) -> None:
        self.solved = solved
        self.iterations += solved.iterations
        self.inner_steps += solved.inner_steps
        self.stop_reason, self.reason, self.expansion = solved.stop_reason, "", None
        self.settled = solved.alpha, solved.gradient, solved.intercept

    def settle(self) -> Steps[None]:
        """Put alpha on the bounds it came close to; bias, and gradient if affordable, from the exact kernel."""
        path = self.path
        assert path is not None
        alpha = path.on_bounds()
        self.settled = alpha, None, path.nu
        yield PhaseBegan(name="exact kernel", size=int(np.count_nonzero(alpha)))
        gradient, intercept = yield from self.exact.at_the_end(alpha, path.nu)
        self.settled = alpha, gradient, intercept
        if self.stop_reason == "converged" and not self._is_exact(alpha, gradient, intercept):
            self.stop_reason = "approximate"
        if not isinstance(self.factor, FullCholesky) and self.factor.rank:
            self.expansion = yield from best_expansion(
                self.problem, self.factor, path, alpha, intercept, self.settings.seed
            )

    def _is_exact(self, alpha: Array, gradient: Array | None, intercept: float) -> bool:
        """Whether the exact problem is solved, too: nothing of K is left out, or its gap is within tol."""
        if isinstance(self.factor, FullCholesky) or getattr(self.factor, "exhausted", False):
            return True
        if gradient is None:
            return False
        gap, objective = self.problem.gap(alpha, gradient, intercept), self.problem.objective(alpha, gradient)
        return gap <= self.settings.tol * abs(objective)

    def is_useless(self) -> bool:
        """Whether a solution of the approximate problem is none of the exact one."""
        assert self.settled is not None
        alpha, gradient, intercept = self.settled
        most, left = USELESS
        if self.stop_reason == "converged":
            return False
        if gradient is None:
            return self.error > left
        gap, objective = self.problem.gap(alpha, gradient, intercept), self.problem.objective(alpha, gradient)
        return gap > most * abs(objective)

    def start_again(self) -> Steps[None]:
        """On few points, solve the fine problem from a cold start as well: how many iterations were saved?"""
        if not self.warm or not self.exact.watching:
            return
        path, gaps = CentralPath(self.problem, self.factor), []
        path.set_start()
        yield from path.begin()
        while True:
            now = path.measures()
            gaps.append(now.gap)
            if now.within(self.settings.tol) or path.failure or len(gaps) > self.settings.max_iter:
                break
            yield from path.advance()
        yield ColdStart(iterations=len(gaps) - 1, warm=self.warm, gaps=np.array(gaps))

    def _scheme(self) -> str:
        """What was done."""
        own = scheme_of(self.settings)
        return own if self.solved is None or "decomposition" in own else f"{own}+decomposition"

    def solution(self) -> InteriorPointSolution:
        """The solution as far as the run has come."""
        problem, path, unknown = self.problem, self.path, np.nan
        if self.settled is None:
            alpha = np.zeros(self.n) if path is None else path.on_bounds()
            self.settled = alpha, None, 0.0 if path is None else path.nu
        alpha, gradient, intercept = self.settled
        support, known = problem.support(alpha), gradient is not None
        now = path.measures() if path is not None and path.begun else None
        values = np.full(self.n, unknown) if gradient is None else gradient
        whole: Any = self.solved
        if whole is None:
            whole = {
                "objective": problem.objective(alpha, values) if known else unknown,
                "violation": problem.optimality(alpha, values).violation if known else unknown,
                "gap": problem.gap(alpha, values, intercept) if known else unknown,
            }
        else:
            whole = {name: getattr(whole, name) for name in ("objective", "violation", "gap")}
        used = np.flatnonzero(alpha)
        expansion = self.expansion or Expansion(used, (problem.y * alpha)[used], intercept)
        return InteriorPointSolution(
            alpha=alpha, gradient=values, intercept=expansion.intercept, vectors=expansion.points,
            coefficients=expansion.coefficients, stop_reason=self.stop_reason,
            iterations=self.iterations, inner_steps=self.inner_steps, n_free=len(support.free),
            n_bound=len(support.bound), **whole, scheme=self._scheme(),
            rank=0 if self.factor is None else self.factor.rank, error=self.error,
            approximate_objective=unknown if now is None else now.objective,
            approximate_gap=unknown if now is None else now.gap, reason=self.reason,
        )  # fmt: skip
