"""The dual solver: decomposition with large working sets, shrinking, a row cache; with and without bias.

    repeat: choose a working set, fetch its kernel rows, solve its small problem by two-variable steps, update gradients

It works on signed variables beta = y alpha (see `smo`). Shrinking removes points from the active set that a bound holds
firmly; before convergence is claimed, their gradients are recomputed and all points are checked. A kernel of few
features starts with an interior-point method (`low_rank`), and decomposition finishes the work.
"""

import numpy as np

from engine.optimisation.dual_problem import Optimality, Problem, optimality
from engine.optimisation.solution import Solution
from engine.runtime.events import Array, PhaseBegan, Started, Steps, Stop, finish
from engine.runtime.threads import for_each, with_serial_blas
from engine.systems.kernel_svm.events import ActiveSetChanged, Iteration
from engine.systems.kernel_svm.low_rank import LowRankPath, is_low_rank
from engine.systems.kernel_svm.row_cache import RowCache
from engine.systems.kernel_svm.settings import DualSettings
from engine.systems.kernel_svm.smo import add_rows, minimise_balanced, minimise_box

INNER_STEPS = 8192  # two-variable steps between two breaths: some 20 ms
INNER_ACCURACY = 0.1  # a working set is solved to this part of its first violation
RESTING = 10, 0.3  # a point will stay at its bound if it is held by so many times tol, and this part of the violation
WORTH_SHRINKING = 0.8  # the active set changes only if it falls below this part of its size
PATIENCE = 20  # times that all active points may be gone through without a decrease that arithmetic can show
ROUNDING = 1e-12  # a smaller relative decrease of the objective is none
COLUMNS = 4096  # of a gradient update per thread
UPDATE_SLICE = 2**25  # entries of kernel rows read between two breaths: some 10 ms


def solve(
    problem: Problem, settings: DualSettings, alpha: Array | None = None, gradient: Array | None = None
) -> Steps[Solution]:
    """Minimise the dual from `alpha`, or from zero, until no point violates the KKT conditions by more than tol.

    `gradient` is that at `alpha`, if it is known. Such a start is taken to be near the solution: points that are
    unlikely to leave their bound are shrunk at once.
    """
    kernel = problem.kernel
    state = _State(problem, settings, None if alpha is None else problem.check_alpha(alpha))
    try:
        yield Started(
            solver="dual", n=len(problem), d=problem.points.X.shape[1], kernel=kernel.name, gamma=kernel.gamma,
            bias=problem.bias, tol=settings.tol,
        )  # fmt: skip
        if gradient is not None:
            state.take_gradient(gradient)
        elif state.beta.any():
            yield PhaseBegan(name="gradient", size=int(np.count_nonzero(state.beta)))
            yield from state.find_gradient()
        few = is_low_rank(problem, settings) and not state.converged
        if few:
            yield PhaseBegan(name="low rank", size=len(problem))
            yield from with_serial_blas(state.follow_low_rank_path(near=gradient is not None), len(problem))
        yield PhaseBegan(name="optimise", size=len(problem))
        stop_reason = yield from _optimise(state, settings, near=few or gradient is not None)
        yield from state.unshrink()
    except Stop as stop:
        stop_reason = stop.reason
    solution = state.solution(stop_reason)
    return (yield from finish(solution, solution.event()))


def _optimise(state: "_State", settings: DualSettings, near: bool) -> Steps[str]:
    """The outer loop; returns why it stopped."""
    now = state.optimality()
    if near and now.violation > settings.tol:
        state.activate(state.likely_to_move(now))
        yield ActiveSetChanged(n_before=state.n, n_after=len(state.active), violation=now.violation)
    while state.iterations != settings.max_iter:
        if now.violation <= settings.tol or state.stalled:
            # 1) The active set is optimal: unshrink and check all points.
            if not state.shrunk:
                return "converged" if now.violation <= settings.tol else "stalled"
            before = len(state.active)
            yield PhaseBegan(name="look at all", size=state.n)
            yield from state.unshrink()
            now = state.optimality()
            if now.violation <= settings.tol:
                return "converged"
            if not state.stalled:
                state.activate(state.likely_to_move(now))
            yield ActiveSetChanged(n_before=before, n_after=len(state.active), violation=now.violation)
        elif state.iterations > 0:
            # 2) Shrink: remove points that a bound holds more firmly than any violation pulls.
            keep = state.not_shrinkable(now, by=now.violation / 2 if state.problem.bias else now.violation)
            if len(keep) < WORTH_SHRINKING * len(state.active):
                before = len(state.active)
                state.activate(keep)
                yield ActiveSetChanged(n_before=before, n_after=len(keep), violation=now.violation)
        # 3) Optimise a working set and carry its change into the gradient.
        working = state.choose_working_set(now)
        steps = yield from state.optimise(working)
        now = state.optimality()
        yield state.event(working, steps, now)
    return "converged" if now.violation <= settings.tol and not state.shrunk else "max_iter"


class _State:
    """The state of the solver: signed variables and gradient of all points, the active set, the row cache.

    `shrunk` has, for each batch of points that left the active set, the beta that its gradients belong to.
    """

    def __init__(self, problem: Problem, settings: DualSettings, alpha: Array | None) -> None:
        self.problem = problem
        self.settings = settings
        self.n = len(problem)
        self.y = problem.y
        self.low, self.high = problem.signed_bounds()
        self.beta = np.zeros(self.n) if alpha is None else self.y * alpha
        self.linear = self.y * problem.linear
        self.g = self.linear.copy()
        self.objective = np.nan if self.beta.any() else 0.0  # not known before the gradient is
        self.cache = RowCache(problem, settings.cache_mb)
        self.shrunk: list[tuple[Array, Array, Array]] = []
        self.iterations = self.inner_steps = 0
        self.stalled = False
        self._mark, self._marked = 0.0, 0  # the objective when it last fell, and in which iteration
        self._previous = np.empty(0, np.int64)
        self._random = np.random.default_rng(settings.seed)
        self._minimise = minimise_balanced if problem.bias else minimise_box

    @property
    def active(self) -> Array:
        return self.cache.active

    def find_gradient(self) -> Steps[None]:
        alpha = np.abs(self.beta)
        gradient = yield from self.problem.gradient_steps(alpha)
        self.take_gradient(gradient)

    def take_gradient(self, gradient: Array) -> None:
        self.g = self.y * gradient
        self.objective = self._mark = self.problem.objective(np.abs(self.beta), gradient)

    def follow_low_rank_path(self, near: bool) -> Steps[None]:
        """Follow the central path of a kernel of few features, as far as it leads."""
        slack = self.y * (self.g + self.optimality().intercept) if near else None
        way = LowRankPath(self.problem, self.settings.tol, slack)
        nobody = np.empty(0, np.int64)
        while not way.arrived and self.iterations != self.settings.max_iter:
            yield from way.advance()
            self.beta = self.y * way.alpha
            self.take_gradient(way.gradient)
            self.iterations += 1
            yield self.event(nobody, 0, self.optimality())

    # ---- optimality and the active set ----

    @property
    def converged(self) -> bool:
        """Whether the gradient is known and the violation is within tol."""
        return not np.isnan(self.objective) and self.optimality().violation <= self.settings.tol

    def optimality(self) -> Optimality:
        """The KKT violation of the active points: shrunk ones have old gradients."""
        at = self.active if self.shrunk else slice(None)
        return optimality(self.beta[at], self.g[at], self.low[at], self.high[at], self.problem.bias)

    def not_shrinkable(self, now: Optimality, by: float) -> Array:
        """The active points that are not at a bound, or held there by less than `by`."""
        at = self.active
        pull = self.g[at] - now.centre
        held = ((self.beta[at] == self.low[at]) & (pull > by)) | ((self.beta[at] == self.high[at]) & (pull < -by))
        return at[~held]

    def likely_to_move(self, now: Optimality) -> Array:
        """The active points that violate the KKT conditions, or are likely to move with those that do."""
        times, part = RESTING
        return self.not_shrinkable(now, by=max(times * self.settings.tol, part * now.violation))

    def activate(self, keep: Array) -> None:
        """Make these points the active set; the other active ones are shrunk with their present gradients."""
        leaving = np.ones(self.n, bool)
        leaving[keep] = False
        for batch, _, _ in self.shrunk:
            leaving[batch] = False
        batch = np.flatnonzero(leaving)
        support = np.flatnonzero(self.beta)
        self.shrunk.append((batch, support, self.beta[support]))
        self.cache.activate(keep)
        self._previous = self._previous[np.isin(self._previous, keep)]

    def unshrink(self) -> Steps[None]:
        """Recompute the gradients of all shrunk points and make every point active again."""
        problem = self.problem
        if not self.shrunk:
            return
        while self.shrunk:
            batch, support, then = self.shrunk[-1]
            change = self.beta.copy()
            change[support] -= then
            moved = np.flatnonzero(change)
            difference = yield from problem.kernel.product_steps(
                problem.points[batch], problem.points[moved], change[moved], problem.threads
            )
            self.g[batch] += difference
            self.shrunk.pop()
        self.cache.activate(np.arange(self.n))
        self.objective = float(0.5 * self.beta @ (self.g + self.linear))

    # ---- one iteration ----

    def choose_working_set(self, now: Optimality) -> Array:
        """Half of the last working set, the newer half, and the worst violators."""
        at = self.active
        size = min(self.settings.working_set, len(self.cache.rows))
        if len(at) <= size:
            self._previous = at
            return at
        stay = self._previous[-(size // 2) :] if size >= 8 else self._previous[:0]
        g, beta = self.g[at], self.beta[at]
        taken = np.zeros(self.n, bool)
        taken[stay] = True
        free = ~taken[at]
        rising = np.where((beta < self.high[at]) & free, now.centre - g, -np.inf)
        falling = np.where((beta > self.low[at]) & free, g - now.centre, -np.inf)
        new = size - len(stay)
        if self.problem.bias:
            first = self._largest(rising, new // 2)
            falling[first] = -np.inf
            second = self._largest(falling, new - len(first))
            fresh = np.concatenate([first, second])
        else:
            fresh = self._largest(np.maximum(rising, falling), new)
        self._previous = np.concatenate([stay, at[fresh]])
        return self._previous

    def _largest(self, keys: Array, count: int) -> Array:
        """Positions of the `count` largest finite keys; equal ones, as at the very start, in random order."""
        order = self._random.permutation(len(keys)) if self.iterations == 0 else np.arange(len(keys))
        keys = keys[order]
        if count < len(keys):
            best = np.argpartition(-keys, count)[:count]
            return order[best[np.isfinite(keys[best])]]
        return order[np.isfinite(keys)]

    def optimise(self, working: Array) -> Steps[int]:
        """Solve the working set's problem and carry the change into all gradients; returns the two-variable steps."""
        problem, chosen = self.problem, self.problem.points[working]
        everything = len(working) == len(self.active)  # then the small problem knows all gradients
        if not everything:
            yield from self.cache.fetch(working)
        block = np.empty((len(working), len(working)), problem.kernel.store)
        yield from problem.kernel.block_steps(chosen, chosen, block, np.arange(len(working)), problem.threads)
        curvature, low, high = problem.diagonal[working], self.low[working], self.high[working]
        np.fill_diagonal(block, curvature)
        beta, g = self.beta[working], self.g[working]
        _, _, violation = self._minimise(block, curvature, beta, g, low, high, 0.0, 0)
        tolerance = max(self.settings.tol / 2, INNER_ACCURACY * violation)
        steps, gained, latest = 0, 0.0, INNER_STEPS
        while latest == INNER_STEPS:
            latest, decrease, _ = self._minimise(block, curvature, beta, g, low, high, tolerance, INNER_STEPS)
            steps += latest
            gained += decrease
            yield None
            if decrease <= ROUNDING * abs(self.objective):
                break
        if not everything:
            change = yield from self._gradient_change(working, beta - self.beta[working])
        # From here to the next yield all of the state changes together: a stop finds it whole.
        if everything:
            self.g[working] = g
        else:
            self.g[self.active] += change
        self.beta[working] = beta
        self.objective -= gained
        self.iterations += 1
        self.inner_steps += steps
        self._watch_progress(gained, len(working))
        return steps

    def _gradient_change(self, working: Array, change: Array) -> Steps[Array]:
        """What a change of the working set's beta does to the gradients of the active points."""
        moved = np.flatnonzero(change)
        rows, slots, change = self.cache.rows, self.cache.slots(working[moved]), change[moved]
        width = len(self.active)
        result = np.zeros(width)

        def update(left: int) -> None:
            add_rows(result, rows, slots, change, left, min(left + COLUMNS, width))

        step = COLUMNS * max(1, UPDATE_SLICE // (COLUMNS * max(1, len(moved))))
        for left in range(0, width, step):
            for_each(update, range(left, min(left + step, width), COLUMNS), self.problem.threads)
            yield None
        return result

    def _watch_progress(self, gained: float, size: int) -> None:
        """Stalled: nothing moved, or rounding is all that has changed for a long time."""
        if gained > 0 and self.objective < self._mark - ROUNDING * abs(self._mark):
            self._mark, self._marked = self.objective, self.iterations
        waited = self.iterations - self._marked
        self.stalled = gained <= 0 or (waited >= PATIENCE and waited * size >= PATIENCE * len(self.active))

    # ---- events and solution ----

    def event(self, working: Array, steps: int, now: Optimality) -> Iteration:
        alpha = np.abs(self.beta)
        n_bound = int(np.count_nonzero((alpha == self.problem.upper) & (alpha > 0)))
        active = np.zeros(self.n, bool)
        active[self.active] = True
        return Iteration(
            iteration=self.iterations,
            inner_steps=steps,
            objective=self.objective,
            violation=now.violation,
            intercept=now.intercept,
            n_free=int(np.count_nonzero(alpha)) - n_bound,
            n_bound=n_bound,
            n_active=len(self.active),
            rows_computed=self.cache.computed,
            cache_hits=self.cache.hits,
            working_set=working.copy(),
            alpha=alpha,
            gradient=(self.y * self.g).astype(np.float32),
            active=active,
        )

    def solution(self, stop_reason: str) -> Solution:
        problem, alpha, gradient, now = self.problem, np.abs(self.beta), self.y * self.g, self.optimality()
        support = problem.support(alpha)
        if np.isnan(self.objective):  # stopped before there was a gradient: nothing but alpha is known
            now = Optimality(np.nan, 0.0, 0.0)
        # Nor does a stopped run know the gradients of shrunk points, and so its duality gap.
        whole = not self.shrunk and not np.isnan(self.objective)
        return Solution(
            alpha=alpha,
            gradient=gradient,
            intercept=now.intercept,
            objective=problem.objective(alpha, gradient) if whole else self.objective,
            violation=now.violation,
            stop_reason=stop_reason,
            iterations=self.iterations,
            inner_steps=self.inner_steps,
            n_free=len(support.free),
            n_bound=len(support.bound),
            gap=problem.gap(alpha, gradient, now.intercept) if whole else np.nan,
        )
