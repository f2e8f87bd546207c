"""The transport: buttons, timeline with phase marks, speed and step size, around the playback of a recording.

One small component of the page's own: a timeline with named phases is in no library of widgets, and it is redrawn with
every frame, which a dozen separate widgets would make slow.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from engine.runtime.events import PhaseBegan
from explorer.replay.playback import SPEEDS, STEP_SIZES, Playback
from explorer.style.theme import FONT

MOST_MARKS = 60


class Transport(JSComponent):
    """Moves a playback, and shows where it is."""

    now = param.Dict({}, doc="cursor, end, playing, live, where, presses heard: what changes with every frame.")
    marks = param.List([], doc="[position, name] of phases.")
    speeds = param.List(list(SPEEDS), doc="To choose from.")
    sizes = param.List(list(STEP_SIZES), doc="Of a step, to choose from.")
    speed = param.String("10 / s")
    step_size = param.String("event")

    _stylesheets: ClassVar[list[str]] = [
        f"""
    :host {{ font: 13px {FONT}; color: var(--mui-palette-text-primary, inherit); }}
    .bar {{ display: flex; flex-wrap: wrap; align-items: center; gap: 6px 14px; padding: 2px 6px; }}
    .keys, .choices {{ display: flex; align-items: center; gap: 4px; }}
    .choices {{ gap: 6px; flex-wrap: wrap; }}
    button, select {{ font: inherit; color: inherit; background: none; cursor: pointer; border-radius: 8px;
      border: 1px solid var(--mui-palette-divider, #8885); height: 32px; }}
    select {{ padding: 0 4px; background: var(--mui-palette-background-paper, transparent); }}
    select option {{ color: #1f2933; background: #ffffff; }}
    button {{ display: inline-flex; align-items: center; justify-content: center; gap: 6px; min-width: 34px; }}
    button, label {{ white-space: nowrap; }}
    button:hover {{ background: #8882; }}
    :is(button, select, input):focus-visible {{ outline: 2px solid #0072B2; outline-offset: 2px; }}
    .play {{ width: 42px; height: 42px; border-radius: 50%; background: #0072B2; color: #fff; border: none; }}
    .play:hover {{ background: #005a8e; }}
    .live {{ padding: 0 8px; }}
    .live[aria-pressed=true] {{ background: #0072B2; border-color: #0072B2; color: #fff; }}
    svg {{ width: 18px; height: 18px; fill: currentColor; }}
    label {{ display: flex; align-items: center; gap: 4px; color: var(--mui-palette-text-secondary, inherit); }}
    label select {{ color: var(--mui-palette-text-primary, inherit); }}
    .time {{ flex: 1 1 260px; min-width: 0; position: relative; height: 54px; }}
    .time input {{ width: 100%; margin: 0; height: 24px; accent-color: #0072B2; cursor: pointer; display: block; }}
    .where {{ overflow: hidden; text-overflow: ellipsis; white-space: nowrap; height: 16px; line-height: 16px;
      font-variant-numeric: tabular-nums; }}
    .marks {{ position: absolute; left: 8px; right: 8px; top: 0; height: 38px; pointer-events: none; }}
    .mark {{ position: absolute; top: 5px; width: 2px; height: 14px; background: currentColor; opacity: .45; }}
    .name {{ position: absolute; top: 23px; font-size: 10.5px; line-height: 13px; white-space: nowrap; overflow: hidden;
      text-overflow: ellipsis; color: var(--mui-palette-text-secondary, inherit); text-align: center;
      container-type: inline-size; height: 13px; }}
    @container (max-width: 40px) {{ .name span {{ display: none; }} }}
    .where {{ position: absolute; bottom: 0; left: 2px; right: 0; font-size: 12px; }}
    """
    ]

    _esm = """
    const ICONS = {
      start: "M6 6h2v12H6zM9.5 12 18 18V6z", back: "M15.4 7.4 14 6l-6 6 6 6 1.4-1.4L10.8 12z",
      play: "M8 5v14l11-7z", pause: "M6 5h4v14H6zM14 5h4v14h-4z",
      forward: "M8.6 16.6 10 18l6-6-6-6-1.4 1.4 4.6 4.6z", end: "M6 18l8.5-6L6 6zM16 6h2v12h-2z",
    }
    const icon = (name) => `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`
    const make = (tag, attributes = {}, inner = "") => {
      const element = document.createElement(tag)
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
      element.innerHTML = inner
      return element
    }
    export function render({model, el}) {
      // A press shows at once; what was on its way from before it says nothing about it.
      let sent = 0, playing = null
      const act = (name) => {
        model.send_msg({act: name, count: ++sent})
        play.setAttribute("aria-busy", "true")
        if (name === "toggle") show_playing(!playing)
      }
      const button = (name, drawing, what, kind = "") => {
        const made = make("button", {type: "button", "aria-label": name, title: name, class: kind}, icon(drawing))
        made.addEventListener("click", () => act(what))
        return made
      }
      const play = button("Pause", "pause", "toggle", "play")
      const keys = make("div", {class: "keys"})
      keys.append(button("To start", "start", "to_start"), button("Step back", "back", "back"), play,
        button("Step forward", "forward", "forward"), button("To end", "end", "to_end"))

      const slider = make("input", {type: "range", min: 0, max: 1, step: 1, value: 0, "aria-label": "Timeline"})
      const marks = make("div", {class: "marks", style: "--end: 1"}), where = make("div", {class: "where"})
      const time = make("div", {class: "time"})
      time.append(slider, marks, where)
      let held = false, timer = null
      // The first move is told at once, those that follow it closely together.
      let told = null
      const scrub = () => {
        timer = null
        if (told === slider.value) return
        told = slider.value
        model.send_msg({scrub: Number(told)})
        timer = setTimeout(scrub, 40)
      }
      slider.addEventListener("pointerdown", () => { held = true })
      for (const end of ["pointerup", "pointercancel", "blur"]) slider.addEventListener(end, () => { held = false })
      slider.addEventListener("input", () => { if (timer === null) { told = null; scrub() } })
      // To the browser they are no move where the slider is there already, though the run may have gone on.
      slider.addEventListener("keydown", (event) => {
        if (event.key === "Home") { slider.value = 0; model.send_msg({scrub: 0}) }
        else if (event.key === "End") { slider.value = slider.max; act("to_end") }
        else return
        event.preventDefault()
      })

      const choice = (name, options, value, what) => {
        const list = options.map((option) => `<option>${option}</option>`).join("")
        const select = make("select", {"aria-label": name, title: name}, list)
        select.value = value
        select.addEventListener("change", () => model.send_msg({[what]: select.value}))
        const label = make("label", {}, `<span>${name}</span>`)
        label.append(select)
        return [label, select]
      }
      const [speed, speeds] = choice("Speed", model.speeds, model.speed, "speed")
      const [size, sizes] = choice("Step size", model.sizes, model.step_size, "step_size")
      const live = make("button", {type: "button", class: "live", "aria-label": "Live", title: "Follow the run"})
      live.textContent = "● Live"
      live.addEventListener("click", () => act("to_end"))
      const choices = make("div", {class: "choices"})
      choices.append(speed, size, live)
      const bar = make("div", {class: "bar", role: "group", "aria-label": "Transport"})
      bar.append(keys, time, choices)
      el.append(bar)

      // Places are parts of the whole, so that a longer run moves all of them by one number.
      const draw_marks = () => {
        marks.innerHTML = ""
        model.marks.forEach(([position, name], k) => {
          const last = k + 1 === model.marks.length
          const until = last ? "var(--end)" : model.marks[k + 1][0]
          const parts = [position, `(${until} - ${position})`]
          const [left, width] = parts.map((part) => `calc(100% * ${part} / var(--end))`)
          marks.append(make("div", {class: "mark", style: `left: ${left}`}))
          const text = make("div", {class: "name", title: name, style: `left: ${left}; width: ${width}`})
          text.append(make("span"))
          text.firstChild.textContent = name
          marks.append(text)
        })
      }
      const show_playing = (now) => {
        if (now === playing) return
        playing = now
        const name = playing ? "Pause" : "Play"
        play.setAttribute("aria-label", name)
        play.title = name
        play.innerHTML = icon(playing ? "pause" : "play")
      }
      const draw = () => {
        const now = model.now
        if ((now.heard ?? 0) >= sent) {
          show_playing(now.playing)
          play.setAttribute("aria-busy", "false")
        }
        live.setAttribute("aria-pressed", now.live ? "true" : "false")
        const end = Math.max(1, now.end ?? 1)
        if (Number(slider.max) !== end) {
          slider.max = end
          marks.style.setProperty("--end", end)
        }
        if (!held && timer === null) slider.value = now.cursor ?? 0
        slider.setAttribute("aria-valuetext", now.where ?? "")
        where.textContent = now.where ?? ""
      }
      model.on("now", draw)
      model.on("marks", draw_marks)
      model.on("speed", () => { speeds.value = model.speed })
      model.on("step_size", () => { sizes.value = model.step_size })
      draw()
      draw_marks()
    }
    """

    def __init__(self, used: Callable[[], None] = lambda: None, **params: Any) -> None:
        super().__init__(sizing_mode="stretch_width", margin=0, **params)
        self._used = used
        self.playback: Playback | None = None
        self._heard = 0  # presses of buttons
        self._told: dict[str, Callable[[Any], None]] = {
            "act": self._act, "count": self._hear, "scrub": self._scrub, "speed": self._choose_speed,
            "step_size": self._choose_size,
        }  # fmt: skip

    def _handle_msg(self, data: Any) -> None:
        for kind, value in data.items():
            self._told[kind](value)
        self._used()

    def _act(self, name: str) -> None:
        if self.playback is not None:
            self.playback.act(name)

    def _hear(self, count: int) -> None:
        self._heard = int(count)

    def _scrub(self, position: int) -> None:
        if self.playback is not None:
            self.playback.pause()
            self.playback.go(int(position))

    def _choose_speed(self, name: str) -> None:
        self.speed = name
        self.follow(self.playback)

    def _choose_size(self, name: str) -> None:
        self.step_size = name
        self.follow(self.playback)

    def follow(self, playback: Playback | None) -> None:
        """Work on this playback, at the chosen speed and step size."""
        self.playback = playback
        if playback is not None:
            playback.param.update(speed=SPEEDS[self.speed], step_size=self.step_size)

    def rest(self) -> None:
        """There is nothing to play."""
        self.playback = None
        self.marks = []
        self.now = {
            "cursor": 0, "end": 0, "playing": False, "live": False, "where": "nothing to play yet: press Run",
            "heard": self._heard,
        }  # fmt: skip

    def draw(self) -> None:
        """Show where the playback is."""
        playback = self.playback
        if playback is None:
            return
        marks = [
            [position, event.name]
            for position, event in enumerate(playback.replay.recording)
            if isinstance(event, PhaseBegan)
        ]
        marks = marks[:: max(1, -(-len(marks) // MOST_MARKS))]
        if marks != self.marks:
            self.marks = marks
        self.now = {
            "cursor": playback.cursor, "end": playback.end, "playing": playback.playing, "live": playback.live,
            "where": _sentence(playback), "heard": self._heard,
        }  # fmt: skip


def _sentence(playback: Playback) -> str:
    event = playback.replay.event(playback.cursor)
    if event is None:
        return "nothing has happened yet"
    phase = ""
    for position in range(playback.cursor, -1, -1):
        before = playback.replay.event(position)
        if isinstance(before, PhaseBegan):
            phase = f" · {before.name}"
            break
    path = " / ".join(event.stamp.path) + " · " if event.stamp.path else ""
    return f"{path}event {playback.cursor + 1:,} of {playback.end + 1:,}{phase}"
