"""What holds of the presentation of every system."""

import pytest

from engine import SOLVERS, datasets
from explorer.registry import presentation


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_preset_can_be_run(solver):
    system = SOLVERS[solver]
    for preset in presentation(solver).presets:
        system.settings.checked(dict(preset.settings))
        assert datasets.catalogue()[preset.data["name"]].task == system.task
