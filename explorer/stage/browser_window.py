"""The browser's window: its size and theme, and which frames it has drawn; what only it can do: address bar, PNG."""

from collections.abc import Callable, Mapping
from typing import Any

import param
from panel.custom import JSComponent

Heard = Callable[[Any], None]


class Window(JSComponent):
    """The part of a page that runs in the browser.

    Sends messages: "drawn" (the number of a frame), "window" (its size), "dark".
    """

    frame = param.Integer(0, doc="Number of the newest frame sent; drawn, it comes back.")
    query = param.String("", doc="What the address bar shows behind the question mark.")
    own_page = param.Boolean(True, doc="Whether the page is ours: a cell of a notebook has no theme and no address.")
    dark = param.Boolean(False, doc="Whether the page is dark; other pages of this server will be so, too.")
    narrow = param.Integer(900, doc="Pixels below which the sidebar starts closed; 0 where there is none.")

    _esm = """
    // Bokeh asks the style sheets about every property it paints. Ours have nothing to say, and asking is slow.
    Bokeh.require("core/visuals").VisualProperties.prototype._get_css_value = () => ""
    const {PlotView} = Bokeh.require("models/plots/plot_canvas")
    Object.defineProperty(PlotView.prototype, "base_font_size", {get: () => 13})
    const find = (name, root = document) => {
      for (const element of root.querySelectorAll("*")) {
        if (element.getAttribute("aria-label") === name) return element
        const inside = element.shadowRoot && find(name, element.shadowRoot)
        if (inside) return inside
      }
      return null
    }
    const save_png = async ({figure, filename}) => {
      for (const view of Object.values(Bokeh.index.roots ?? Bokeh.index).flatMap((root) => [...children(root)])) {
        if (view.model.name !== figure) continue
        const blob = await view.export("png").to_blob()
        const link = Object.assign(document.createElement("a"), {href: URL.createObjectURL(blob), download: filename})
        link.click()
        URL.revokeObjectURL(link.href)
        return
      }
    }
    function* children(view) {
      yield view
      for (const child of view.child_views ?? view.children?.() ?? []) if (child) yield* children(child)
    }
    export function render({model, view}) {
      let drawn = model.frame
      const tell = () => model.send_msg({drawn})
      model.on("frame", () => requestAnimationFrame(() => setTimeout(() => { drawn = model.frame; tell() })))
      model.on("query", () => history.replaceState(history.state, "", model.query ? "?" + model.query : "."))
      model.on("msg:custom", (message) => save_png(message.data ?? message))
      model.send_msg({drawn: model.frame, window: [window.innerWidth, window.innerHeight]})
      if (!model.own_page) {
        // In a notebook Panel sends every change it receives back again: those that came from Python need not go there.
        for (const manager of view.model.document?.roots() ?? []) {
          if (!manager._document_changed || manager.quiet) continue
          const relay = manager._document_changed.bind(manager)
          manager._document_changed = (event) => { if (event.sync) relay(event) }
          manager.quiet = true
          manager.timeout = 1000
        }
        // A word that was lost while the notebook was busy would be waited for in vain: say it again now and then.
        const beat = setInterval(() => view.model.document ? tell() : clearInterval(beat), 1000)
        model.on("remove", () => clearInterval(beat))
        // JupyterLab says in its body whether it is dark, and when that changes.
        const look = () => model.send_msg({dark: document.body.dataset.jpThemeLight === "false"})
        const watcher = new MutationObserver(look)
        watcher.observe(document.body, {attributes: true, attributeFilter: ["data-jp-theme-light"]})
        model.on("remove", () => watcher.disconnect())
        look()
        return
      }
      model.on("dark", () => {
        document.cookie = `theme=${model.dark ? "dark" : "light"}; path=/; max-age=31536000; samesite=strict`
      })
      // The page keeps its theme and its drawer to itself: ask it the way a person would.
      const press_once = (name, tries = 100) => {
        const found = find(name)
        if (found) found.click()
        else if (tries) setTimeout(() => press_once(name, tries - 1), 50)
      }
      const chosen = /(^|; )theme=/.test(document.cookie)
      if (!chosen && window.matchMedia("(prefers-color-scheme: dark)").matches) press_once("Toggle theme")
      if (model.narrow && window.innerWidth < model.narrow) press_once("Close drawer")
    }
    """

    def __init__(self, heard: Mapping[str, Heard] | None = None, **params: Any) -> None:
        super().__init__(width=0, height=0, margin=0, **params)
        self._heard = heard or {}

    def _handle_msg(self, data: Any) -> None:
        for kind, value in data.items():
            if kind in self._heard:
                self._heard[kind](value)

    def save_png(self, figure: str, filename: str) -> None:
        """Let the browser keep a picture of the figure of this name."""
        self._send_msg({"figure": figure, "filename": filename})
