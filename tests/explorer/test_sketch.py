"""Points drawn by hand: the sheet alone, and on a stage."""

import numpy as np

from explorer.sketch import Sketch
from explorer.stage.actions import Stage
from tests.support.stage import play_to_the_end, settle, tick


def test_drawn_points_are_trained_on_and_travel_in_the_link(stage):
    stage.data.source.value = "Draw"
    tick(stage)
    stage.data._redraw(type(stage.data.sketch).clear)
    stage.begin()
    assert "Draw at least one point of each class first." in stage.screen.message.object
    rng = np.random.default_rng(0)
    for label, middle in ((-1, -1.0), (1, 1.0)):
        stage.data.brush.value = label
        for x, y in rng.normal(middle, 0.3, (10, 2)):
            stage._touch("tap", x, y)
    tick(stage)
    assert len(stage.scene._points.data["x"]) == 20
    stage.begin()
    play_to_the_end(stage)
    assert "Finished: converged" in stage.screen.story.object
    replay = stage.replay
    stage._touch("tap", *replay.X[3])  # now it pins
    settle(stage)
    assert stage.pinned == 3
    assert stage.replay is replay
    other = Stage()
    other.restore("?" + stage.link().query())
    assert np.array_equal(other.replay.X, stage.replay.X)
    other.close()
    stage.share_row.show_python()
    names = {}
    exec(stage.share_row.code, names)
    assert np.array_equal(names["X"], stage.replay.X)


def test_erase_and_undo():
    sketch = Sketch()
    for x in range(3):
        sketch.begin()
        sketch.put(x, 0.5, 1)
    sketch.begin()
    sketch.erase(1, 0.5, 0.1)
    assert sketch.places[:, 0].tolist() == [0, 2]
    sketch.undo()
    assert len(sketch) == 3
    sketch.clear()
    assert len(sketch) == 0
    sketch.undo()
    sketch.undo()
    assert len(sketch) == 2
    assert np.array_equal(Sketch.read(sketch.text()).points, sketch.points)
    for x in np.linspace(-9, 9, 1500):
        sketch.put(x, 0, -1)
    assert len(sketch) == 1000
    assert np.abs(sketch.places).max() <= 4
