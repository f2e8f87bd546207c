"""The state of the dual solver: what one iteration does to signed variables, gradient, active set and row cache."""

import numpy as np

from engine.optimisation.dual_problem import Optimality, Problem, optimality
from engine.optimisation.solution import Solution
from engine.runtime.events import Array, PhaseBegan, Steps
from engine.runtime.threads import for_each
from engine.systems.kernel_svm.events import Iteration
from engine.systems.kernel_svm.low_rank import LowRankPath
from engine.systems.kernel_svm.precision import CORRECTABLE, TRUSTED, accurate_gradient, gradient_error
from engine.systems.kernel_svm.row_cache import RowCache
from engine.systems.kernel_svm.settings import DualSettings
from engine.systems.kernel_svm.smo import add_rows, minimise_balanced, minimise_box

INNER_STEPS = 8192  # two-variable steps between two breaths: some 20 ms
INNER_ACCURACY = 0.1  # a working set is solved to this part of its first violation
RESTING = 10, 0.3  # a point will stay at its bound if it is held by so many times tol, and this part of the violation
FIRST_LOOK = 4  # the iteration after which rounding is looked at first; then whenever their number has doubled
MOST_REFRESHED = 3  # times that a gradient in float64 is computed anew
PATIENCE = 20  # times that all active points may be gone through without a decrease that arithmetic can show
ROUNDING = 1e-12  # a smaller relative decrease of the objective is none
COLUMNS = 4096  # of a gradient update per thread
UPDATE_SLICE = 2**25  # entries of kernel rows read between two breaths: some 10 ms


class SolverState:
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
        self.target = settings.tol  # the violation to reach: tol, less what rounding may hide
        self.next_look = FIRST_LOOK
        self.hidden = 0.0  # the part of the violation that rounding hides for good
        self._refreshed = 0
        self._accurate = np.zeros(self.n, bool)  # points whose gradients were corrected
        self._mark, self._marked = 0.0, 0  # the objective when it last fell, and in which iteration
        self._previous = np.empty(0, np.int64)
        self._random = np.random.default_rng(settings.seed)
        self._minimise = minimise_balanced if problem.bias else minimise_box

    @property
    def active(self) -> Array:
        """The active points."""
        return self.cache.active

    def find_gradient(self) -> Steps[None]:
        """Compute the gradient of all points."""
        alpha = np.abs(self.beta)
        gradient = yield from self.problem.gradient_steps(alpha)
        self.take_gradient(gradient)

    def take_gradient(self, gradient: Array) -> None:
        """Take a gradient that is known, and its objective."""
        self.g = self.y * gradient
        self.objective = self._mark = self.problem.objective(np.abs(self.beta), gradient)

    # ---- rounding ----

    def look_at_rounding(self, now: Optimality) -> Steps[None]:
        """Go on in float64 as soon as rounding is too large to be corrected at the end."""
        self.next_look = 2 * self.iterations
        if not self._is_float64 and (yield from self._gradient_error(now)) > CORRECTABLE * self.settings.tol:
            yield from self.go_on_in_float64()

    def is_settled(self, now: Optimality) -> Steps[bool]:
        """True if rounding cannot hide a violation; else gradients are corrected, or computed in float64."""
        tol = self.settings.tol
        if self._is_float64 and self.iterations * self._largest_rounding() < TRUSTED * tol:
            return True
        error = yield from self._gradient_error(now)
        gap_is_known = self._gap_error(now, error) <= tol * abs(self.objective)
        if now.violation + 2 * error <= tol and gap_is_known:
            return True
        if self._is_float64 or not (rough := self._rough(now, error)).any():
            if error <= TRUSTED * tol and not self.stalled and (gap_is_known or self._is_float64):
                self.target = min(self.target, tol - 2 * error)
                return now.violation <= self.target
            if self._is_float64 and self._refreshed == MOST_REFRESHED:
                self.hidden = 2 * error
                return True
            yield from self.refresh()
        else:
            yield from self.correct(np.flatnonzero(rough))
        self.stalled = False
        self._marked = self.iterations
        return False

    def _gap_error(self, now: Optimality, error: float) -> float:
        """What errors of gradients come to in the duality gap, where each slack is multiplied by C."""
        slack = self.problem.upper[self.y * (now.centre - self.g) > -error]
        return error * float(np.sqrt((slack**2).sum()))

    def _rough(self, now: Optimality, error: float) -> Array:
        """The active points that matter for the violation and whose gradients were not corrected yet."""
        matter = np.zeros(self.n, bool)
        matter[self.active] = True
        matter &= (self.beta != 0) | (np.abs(self.g - now.centre) < now.violation + 3 * error)
        return matter & ~self._accurate

    def correct(self, at: Array) -> Steps[None]:
        """Replace the gradients of some points by more accurate ones."""
        yield PhaseBegan(name="correct rounding", size=len(at))
        g = yield from accurate_gradient(self.problem, self.beta, at)
        self.g[at], self._accurate[at] = g, True
        self.objective = float(0.5 * self.beta @ (self.g + self.linear))

    def refresh(self) -> Steps[None]:
        """Compute all gradients anew, in float64 from now on."""
        self._refreshed += self._is_float64
        if not self._is_float64:
            yield from self.go_on_in_float64()
            return
        yield from self.unshrink()
        yield from self.find_gradient()

    def tell_true_gradient(self) -> Steps[None]:
        """Make sure that a run without convergence tells how far it got, and not how far it seemed to get."""
        now = self.optimality()
        if not self._is_float64:
            error = yield from self._gradient_error(now)
            if error > TRUSTED * max(now.violation, self.settings.tol):
                yield from self.correct(np.flatnonzero(self._rough(now, error)))

    @property
    def _is_float64(self) -> bool:
        kernel = self.problem.kernel
        return (kernel.work is np.float64 and kernel.store is np.float64) or kernel.exact() is None

    def _largest_rounding(self) -> float:
        """What an update of the gradient may lose by rounding."""
        return float(np.finfo(float).eps * np.abs(self.g - self.linear).max())

    def _gradient_error(self, now: Optimality) -> Steps[float]:
        """About the largest error of the active gradients, of those alone that were corrected if some were."""
        if self.problem.kernel.exact() is None:
            return 0.0
        at = self.active[self._accurate[self.active]] if self._accurate.any() else self.active
        return (yield from gradient_error(self.problem, self.beta, self.g, now.centre, at, self._random))

    def go_on_in_float64(self) -> Steps[None]:
        """Replace all kernel values by those in float64, and the gradient by the one that belongs to them."""
        yield PhaseBegan(name="double precision", size=self.n)
        problem = yield from self.problem.in_float64()
        gradient = yield from problem.gradient_steps(np.abs(self.beta))
        # From here to the next yield all of the state changes together: a stop finds it whole.
        self.problem, self.cache = problem, self.cache.of_another(problem)
        self.shrunk.clear()
        self._previous, self._accurate = self._previous[:0], np.zeros(self.n, bool)
        self.take_gradient(gradient)
        self.target, self.stalled, self._marked = self.settings.tol, False, self.iterations

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

    def activate(self, keep: Array) -> Steps[None]:
        """Make these points the active set; the other active ones are shrunk with their present gradients."""
        yield from self.cache.narrow(keep)
        leaving = np.ones(self.n, bool)
        leaving[keep] = False
        for batch, _, _ in self.shrunk:
            leaving[batch] = False
        batch = np.flatnonzero(leaving)
        support = np.flatnonzero(self.beta)
        self.shrunk.append((batch, support, self.beta[support]))
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
        self.cache.start_anew(np.arange(self.n))
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
        """The event of an iteration."""
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
        """The solution as far as it is known."""
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
            violation=now.violation + self.hidden,
            stop_reason=stop_reason,
            iterations=self.iterations,
            inner_steps=self.inner_steps,
            n_free=len(support.free),
            n_bound=len(support.bound),
            gap=problem.gap(alpha, gradient, now.intercept) if whole else np.nan,
        )
