"""The dual solver: decomposition with large working sets, shrinking, a row cache; with and without bias.

    repeat: choose a working set, fetch its kernel rows, solve its small problem by two-variable steps, update gradients

It works on signed variables beta = y alpha (see `smo`). Shrinking removes points from the active set that a bound holds
firmly; before convergence is claimed, their gradients are recomputed and all points are checked. A kernel of few
features starts with an interior-point method (`low_rank`), and decomposition finishes the work. Kernel values are in
float32 if there are many points; where rounding would hide a violation (see `precision`), the run goes on in float64.
"""

import numpy as np

from engine.optimisation.dual_problem import Problem
from engine.optimisation.solution import Solution
from engine.runtime.events import Array, PhaseBegan, Started, Steps, Stop, finish
from engine.runtime.threads import with_serial_blas
from engine.systems.kernel_svm.events import ActiveSetChanged
from engine.systems.kernel_svm.low_rank import is_low_rank
from engine.systems.kernel_svm.settings import DualSettings
from engine.systems.kernel_svm.state import SolverState

WORTH_SHRINKING = 0.8  # the active set changes only if it falls below this part of its size


def solve(
    problem: Problem, settings: DualSettings, alpha: Array | None = None, gradient: Array | None = None
) -> Steps[Solution]:
    """Minimise the dual from `alpha`, or from zero, until no point violates the KKT conditions by more than tol.

    `gradient` is that at `alpha`, if it is known. Such a start is taken to be near the solution: points that are
    unlikely to leave their bound are shrunk at once.
    """
    kernel = problem.kernel
    state = SolverState(problem, settings, None if alpha is None else problem.check_alpha(alpha))
    try:
        yield Started(
            solver="kernel-svm", n=len(problem), d=problem.points.X.shape[1], kernel=kernel.name, gamma=kernel.gamma,
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
        if stop_reason != "converged":
            yield from state.tell_true_gradient()
    except Stop as stop:
        stop_reason = stop.reason
    solution = state.solution(stop_reason)
    return (yield from finish(solution, solution.event()))


def _optimise(state: SolverState, settings: DualSettings, near: bool) -> Steps[str]:
    """The outer loop; returns why it stopped."""
    now = state.optimality()
    if near and now.violation > state.target:
        yield from state.activate(state.likely_to_move(now))
        yield ActiveSetChanged(n_before=state.n, n_after=len(state.active), violation=now.violation)
    while True:
        if now.violation <= state.target or state.stalled:
            # 1) The active set is optimal, unless rounding misled: then unshrink and check all points.
            if not (yield from state.is_settled(now)):
                now = state.optimality()
                continue
            if not state.shrunk:
                return "converged" if now.violation + state.hidden <= settings.tol else "stalled"
            before = len(state.active)
            yield PhaseBegan(name="look at all", size=state.n)
            yield from state.unshrink()
            now = state.optimality()
            if now.violation <= state.target:
                continue
            if not state.stalled:
                yield from state.activate(state.likely_to_move(now))
            yield ActiveSetChanged(n_before=before, n_after=len(state.active), violation=now.violation)
        elif state.iterations > 0:
            # 2) Shrink: remove points that a bound holds more firmly than any violation pulls.
            keep = state.not_shrinkable(now, by=now.violation / 2 if state.problem.bias else now.violation)
            if len(keep) < WORTH_SHRINKING * len(state.active):
                before = len(state.active)
                yield from state.activate(keep)
                yield ActiveSetChanged(n_before=before, n_after=len(keep), violation=now.violation)
        if state.iterations == settings.max_iter:
            return "max_iter"
        # 3) Optimise a working set and carry its change into the gradient.
        working = state.choose_working_set(now)
        steps = yield from state.optimise(working)
        now = state.optimality()
        yield state.event(working, steps, now)
        if state.iterations == state.next_look:
            yield from state.look_at_rounding(now)
            now = state.optimality()
