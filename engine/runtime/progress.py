"""A progress bar for a run. Each system reads from its own events how much of a task is done: see `Progress`."""

from collections.abc import Iterable, Iterator
from typing import ClassVar, NamedTuple

from tqdm import tqdm

from engine.runtime.events import DONE, Event, Finished, PhaseBegan


class Done(NamedTuple):
    """The part of a task that is done, from 0 to 1, and words for it."""

    part: float
    words: str


class Progress:
    """Reads the progress of a run from its events; a system with more to tell than phases has a subclass."""

    unnamed: ClassVar[tuple[str, ...]] = ()  # phases that the bar does not name

    def read(self, event: Event) -> Done | None:
        """How much of its task is done after an event; None if the event does not tell."""
        return None


def with_progress(
    events: Iterable[Event], label: str, tasks: int = 1, progress: type[Progress] = Progress
) -> Iterator[Event]:
    """Pass events on and draw the bar on standard error; `tasks` is how many parts the run has."""
    shape = "{l_bar}{bar}| {elapsed}{postfix}"
    finished, reader = 0, progress()
    with tqdm(total=100 * tasks, desc=label, bar_format=shape, leave=True) as bar:
        for event in events:
            if isinstance(event, PhaseBegan) and event.name not in reader.unnamed:
                bar.set_postfix_str(event.name)
            if (done := reader.read(event)) is not None:
                _advance(bar, 100 * (finished + min(max(done.part, 0.0), 1.0)))
                bar.set_postfix_str(done.words)
            if isinstance(event, Finished) and (event.stamp.path or tasks == 1):
                finished += 1
                if event.stop_reason in DONE:
                    _advance(bar, 100 * finished)
            yield event


def _advance(bar: "tqdm[None]", to: float) -> None:
    # A violation may rise for a while; the bar never runs backwards.
    bar.update(max(0.0, to - bar.n))
