"""The primal-dual interior-point method for the dual problem of an SVM, over any factorisation of K.

    min 1/2 a'Qa + p'a,  0 <= a <= C,  y'a = 0 if there is a bias            z >= 0 for a >= 0, w >= 0 for a <= C
    Qa + p - z + w + nu y = 0,     a z = mu,     (C - a) w = mu,     mu -> 0

Each iteration is Mehrotra's: a predictor aims at mu = 0, a corrector at the sigma mu that the predictor's step
suggests; one step length for all variables ends short of the boundary. Both solve

    (Q + D) da + y dnu = r,     y'da = -y'a,     D = z / a + w / (C - a)

in which Q is that of the factorisation. A system decides which factorisations follow one another.
"""

from dataclasses import dataclass

import numpy as np

from engine.numerics.cholesky import NotPositive
from engine.optimisation.dual_problem import Problem
from engine.optimisation.kernel_factor import Factor
from engine.runtime.events import Array, Steps

TO_BOUNDARY = 0.99  # part of the way to the boundary that a step may go
REFINEMENTS = 3  # times that a direction is refined, at most
REFINED = 1e-3  # residual of a direction, relative to its right-hand side, that needs no refinement
USELESS = 1e-2  # residual that is left in vain: the factorisation has too few digits for this D
SHORT, PATIENCE = 1e-4, 3  # so many steps in a row that are so short: stalled
START = 0.1  # of the way from 0 to C: from the middle, where few of the alphas end, it takes some more iterations
MULTIPLIER = 1.0  # of a start: a margin
KNOWN = 0.3  # of C: mu at the start from a known model
FAR = 10  # times mu, products of alpha and the change of Q alpha from which on a warm start is no good


@dataclass(frozen=True)
class Measures:
    """Residuals, duality gap and objective of an iterate: how far along the central path it is."""

    mu: float
    primal: float  # |y'a| over the sum of C
    dual: float  # largest entry of Qa + p - z + w + nu y over the largest of Qa and p
    gap: float  # a'z + (C - a)'w
    objective: float

    @property
    def relative_gap(self) -> float:
        """The gap as a part of the objective."""
        return self.gap / max(abs(self.objective), np.finfo(float).tiny)

    def within(self, tol: float) -> bool:
        """Whether residuals and relative gap are at most tol."""
        return max(self.primal, self.dual, self.relative_gap) <= tol


class CentralPath:
    """An iterate of the interior-point method, and the iteration that leads to the next one."""

    def __init__(self, problem: Problem, factor: Factor) -> None:
        self.problem, self.factor = problem, factor
        self.y, self.upper, self.linear = problem.y, problem.upper, problem.linear
        self.step = self.sigma = np.nan  # of the latest iteration
        self.refinements = 0
        self.columns = factor.rank  # when it began: a factor can grow later
        self.begun = False
        self.moved = False  # from the iterate of another factorisation
        self.failure = ""  # why the method cannot go on
        self._short = 0

    # ---- starts ----

    def set_start(self, before: "CentralPath | None" = None) -> None:
        """Start inside the box, or at the iterate of another factorisation."""
        upper = self.upper
        if before is None:
            self.alpha = START * upper
            self.z, self.w, self.nu = np.full(len(upper), MULTIPLIER), np.full(len(upper), MULTIPLIER), 0.0
        else:
            self.alpha, self.z, self.w, self.nu = before.alpha, before.z, before.w, before.nu
        self.upper_slack = upper - self.alpha

    def start_from_slack(self, slack: Array) -> None:
        """Start where alpha z = (C - alpha) w = mu and z - w is the slack, y d(x) - 1, of a known model.

        A smaller mu saves iterations if that model is very near the solution, and costs many if it is not.
        """
        upper, mu = self.upper, KNOWN * float(np.median(self.upper))
        self.alpha = 2 * mu * upper / (upper * slack + 2 * mu + np.hypot(upper * slack, 2 * mu))
        self.upper_slack = upper - self.alpha
        self.z, self.w, self.nu = mu / self.alpha, mu / self.upper_slack, 0.0

    def begin(self, before: "CentralPath | None" = None) -> Steps[None]:
        """Compute Q alpha; if it differs too much from that of the other factorisation, start inside the box again.

        A dual residual at the start vanishes with the steps. That takes fewer iterations than multipliers without a
        residual, some of which would be huge; but a residual that is large beside mu makes steps short.
        """
        [self.Qa] = yield from self._times_Q(self.alpha[None])
        if before is not None:
            change = float(np.sqrt(np.mean((self.Qa - before.Qa) ** 2)))
            if change * float(self.alpha.mean()) > FAR * self.measures().mu:
                self.moved = True
                self.set_start()
                [self.Qa] = yield from self._times_Q(self.alpha[None])
        self.begun = True

    # ---- measures ----

    def measures(self) -> Measures:
        """Residuals, gap and objective of the problem as the factorisation has it."""
        alpha, Qa = self.alpha, self.Qa
        gap = float(alpha @ self.z + self.upper_slack @ self.w)
        largest = np.abs(Qa).max() + np.abs(self.linear).max()
        return Measures(
            mu=gap / (2 * len(alpha)),
            primal=abs(float(self.y @ alpha)) / float(self.upper.sum()) if self.problem.bias else 0.0,
            dual=float(np.abs(self._dual_residual()).max() / largest),
            gap=gap,
            objective=float(alpha @ (0.5 * Qa + self.linear)),
        )

    def products(self) -> Array:
        """The complementarity products, alpha z and (C - alpha) w; on the central path all are mu."""
        return np.stack([self.alpha * self.z, self.upper_slack * self.w])

    def on_bounds(self) -> Array:
        """Alpha, put on the bounds that it is closer to than its multiplier is to zero, and balanced.

        What that changes of the objective is no more than the products of those points, so about the gap.
        """
        upper, y = self.upper, self.y
        alpha = np.where(self.alpha < self.z * upper, 0.0, self.alpha)
        alpha = np.where(self.upper_slack < self.w * upper, upper, alpha)
        if not self.problem.bias:
            return alpha
        free = (alpha > 0) & (alpha < upper)
        room = np.where(free, np.minimum(alpha, upper - alpha), 0.0)
        off, width = float(y @ alpha), float(room.sum())
        if 2 * abs(off) <= width:
            return alpha - off / width * y * room if off else alpha
        # The free points cannot make up for it: this is far from the end.
        positive, negative = float(self.alpha[y > 0].sum()), float(self.alpha[y < 0].sum())
        smaller = min(positive, negative)
        return self.alpha * np.where(y > 0, smaller / positive, smaller / negative)

    def _dual_residual(self) -> Array:
        return self.Qa + self.linear - self.z + self.w + self.nu * self.y

    # ---- one iteration ----

    def advance(self) -> Steps[None]:
        """Predictor, corrector, step; `failure` says why, if the method cannot go on."""
        a, c, z, w = self.alpha, self.upper_slack, self.z, self.w
        mu = float(a @ z + c @ w) / (2 * len(a))
        D = z / a + w / c
        residual = self._dual_residual()
        off = float(self.y @ a)
        if not (yield from self._prepare(D)):
            return
        # 1) Predictor: straight for mu = 0.
        towards_0 = -residual - z + w
        [self._y_solved, da] = yield from self._solve_M(np.stack([self.y, towards_0]))
        da, _ = self._balanced(da, off)
        dz, dw = -z - z / a * da, -w + w / c * da
        step = min(_longest(a, da), _longest(c, -da), _longest(z, dz), _longest(w, dw))
        within_reach = float((a + step * da) @ (z + step * dz) + (c - step * da) @ (w + step * dw)) / (2 * len(a))
        self.sigma = (within_reach / mu) ** 3
        yield None
        # 2) Corrector: for sigma mu, with the predictor's second-order terms.
        aim_z = self.sigma * mu - da * dz
        aim_w = self.sigma * mu + da * dw
        right = towards_0 + aim_z / a - aim_w / c
        da, dnu, Q_da = yield from self._direction(right, off, D)
        if self.failure:
            return
        dz, dw = aim_z / a - z - z / a * da, aim_w / c - w + w / c * da
        # 3) A common step, short of the boundary.
        longest = min(_longest(a, da), _longest(c, -da), _longest(z, dz), _longest(w, dw))
        self.step = step = min(1.0, TO_BOUNDARY * longest)
        # From here to the next yield all of the iterate changes together: a stop finds it whole.
        self.alpha = a + step * da
        self.upper_slack = c - step * da
        self.z, self.w, self.nu = z + step * dz, w + step * dw, self.nu + step * dnu
        self.Qa = self.Qa + step * Q_da
        self._watch_steps()

    def _watch_steps(self) -> None:
        self._short = self._short + 1 if self.step < SHORT else 0
        whole = all(np.isfinite(part).all() for part in (self.alpha, self.z, self.w, self.Qa))
        if self._short >= PATIENCE or not whole:
            self.failure = f"the last {self._short} steps were shorter than {SHORT}" if whole else "numbers overflowed"

    # ---- the linear system ----

    def _prepare(self, D: Array) -> Steps[bool]:
        """Prepare the factorisation for D, in float64 if float32 is not accurate enough; False if neither is."""
        try:
            yield from self.factor.prepare(D)
        except NotPositive as error:
            if not self.factor.single:
                self.failure = f"the matrix of an iteration was not positive definite: {error}"
                return False
            self.factor.single = False
            return (yield from self._prepare(D))
        return True

    def _direction(self, right: Array, off: float, D: Array) -> Steps[tuple[Array, float, Array]]:
        """da, dnu and Q da, refined as long as that helps."""
        [solved] = yield from self._solve_M(right[None])
        da, dnu = self._balanced(solved, off)
        size, last = float(np.linalg.norm(right)), np.inf
        for left in range(REFINEMENTS, -1, -1):
            [Q_da] = yield from self._times_Q(da[None])
            rest = right - Q_da - D * da - dnu * self.y
            error = float(np.linalg.norm(rest)) / max(size, np.finfo(float).tiny)
            if error <= REFINED or left == 0 or error > last / 2:
                break
            self.refinements += 1
            last = error
            [more] = yield from self._solve_M(rest[None])
            more, more_nu = self._balanced(more, off + float(self.y @ da))
            da, dnu = da + more, dnu + more_nu
        if not error <= USELESS and self.factor.single:
            self.factor.single = False
            if not (yield from self._prepare(D)):
                return da, dnu, Q_da
            [self._y_solved] = yield from self._solve_M(self.y[None])
            return (yield from self._direction(right, off, D))
        return da, dnu, Q_da

    def _balanced(self, solved: Array, off: float) -> tuple[Array, float]:
        """From M^-1 r to the direction that also brings y'a, which is `off`, to zero."""
        if not self.problem.bias:
            return solved, 0.0
        dnu = (float(self.y @ solved) + off) / float(self.y @ self._y_solved)
        return solved - dnu * self._y_solved, dnu

    def _solve_M(self, V: Array) -> Steps[Array]:
        return self.y * (yield from self.factor.solve(self.y * V))

    def _times_Q(self, V: Array) -> Steps[Array]:
        return self.y * (yield from self.factor.product(self.y * V))


def _longest(value: Array, change: Array) -> float:
    """The longest step of at most 1 / TO_BOUNDARY after which no value is negative."""
    worst = float((change / value).min(initial=0.0))
    return 1 / TO_BOUNDARY if -worst < TO_BOUNDARY else -1 / worst
