from engine.datasets import DataUnavailable
from engine.reproduction.paper import FULL, QUICK, Effort, Figure, Row


def row(data):
    return Row(data, 10, 1.0, None, 0, {}, {"seconds": 1.0})


def test_the_least_of_all_limits_counts():
    assert FULL.train(None) is None
    assert FULL.train(500) == 500
    assert (QUICK.train(None), QUICK.train(500), QUICK.train(10**6)) == (2000, 500, 2000)
    assert Effort(tests=3).test(None) == 3
    assert Effort(tests=3).train(None) is None


def test_a_part_without_its_data_is_complained_of_and_the_others_are_measured():
    def there(effort):
        yield row(f"seed {effort.seed}")

    def cut_short(effort):
        yield row("half")
        raise DataUnavailable("not on this computer")

    complaints = []
    figure = Figure("figure1", "About", "A note.", (cut_short, there))
    assert [found.data for found in figure.rows(Effort(seed=3), complaints.append)] == ["half", "seed 3"]
    assert complaints == ["not on this computer"]
