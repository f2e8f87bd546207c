"""What only the browser knows: keys, frames that were drawn, the window; and what only it can do: address bar, PNG."""

from collections.abc import Callable
from typing import Any

import param
from panel.custom import JSComponent

Told = Callable[[Any], None]


class Browser(JSComponent):
    """The page's far end. Says which key was pressed outside of any field and which frame was drawn."""

    frame = param.Integer(0, doc="Number of the newest frame sent; drawn, it comes back.")
    query = param.String("", doc="What the address bar shows behind the question mark.")
    own_page = param.Boolean(True, doc="Whether the page is ours: a cell of a notebook has no theme and no address.")
    narrow = param.Integer(900, doc="Pixels below which the sidebar starts closed.")

    _esm = """
    const KEYS = [" ", "ArrowLeft", "ArrowRight", "Home", "End"]
    const typing = (event) => {
      // Under shadow roots the true target is first in the path.
      const target = event.composedPath()[0]
      const role = target.getAttribute?.("role")
      return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT", "BUTTON"].includes(target.tagName) ||
        ["slider", "option", "combobox", "button"].includes(role)
    }
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
    export function render({model}) {
      const press = (event) => {
        if (!KEYS.includes(event.key) || typing(event) || event.ctrlKey || event.metaKey || event.altKey) return
        event.preventDefault()
        model.send_msg({key: event.key})
      }
      const unload = () => window.removeEventListener("keydown", press)
      if (model.own_page) window.addEventListener("keydown", press)
      model.on("remove", unload)
      model.on("frame", () => requestAnimationFrame(() => setTimeout(() => model.send_msg({drawn: model.frame}))))
      model.on("query", () => history.replaceState(history.state, "", model.query ? "?" + model.query : "."))
      model.on("msg:custom", (message) => save_png(message.data ?? message))
      model.send_msg({drawn: model.frame})
      // The page keeps its theme and its drawer to itself: ask it the way a person would.
      if (model.own_page) setTimeout(() => {
        if (window.matchMedia("(prefers-color-scheme: dark)").matches) find("Toggle theme")?.click()
        if (window.innerWidth < model.narrow) find("Close drawer")?.click()
      }, 200)
    }
    """

    def __init__(self, *, key: Told, drawn: Told, **params: Any) -> None:
        super().__init__(width=0, height=0, margin=0, **params)
        self._told = {"key": key, "drawn": drawn}

    def _handle_msg(self, data: Any) -> None:
        for kind, value in data.items():
            self._told[kind](value)

    def save_png(self, figure: str, filename: str) -> None:
        """Let the browser keep a picture of the figure of this name."""
        self._send_msg({"figure": figure, "filename": filename})
