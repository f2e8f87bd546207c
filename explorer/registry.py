"""TODO: what this is."""

from explorer.stage.presentation import Act


def acts() -> dict[str, Act]:
    """All solvers on the stage, by name."""
    from explorer.systems.budgeted_sgd import presentation
    from explorer.systems.clustersvm import presentation
    from explorer.systems.dcpred import presentation
    from explorer.systems.dcsvm import presentation
    from explorer.systems.interior_point import presentation
    from explorer.systems.kernel_svm import presentation

    return {
        act.solver: act
        for act in (
            presentation.ACT,
            presentation.ACT,
            presentation.ACT,
            presentation.ACT,
            presentation.ACT,
            presentation.ACT,
            presentation.RIDGE,
        )
    }
