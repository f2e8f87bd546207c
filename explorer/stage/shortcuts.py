"""The keys of a page: space, arrows, Home and End move the playback, wherever no field or menu needs them."""

from collections.abc import Callable
from typing import Any

import param
from panel.custom import JSComponent

KEYS = {" ": "toggle", "ArrowLeft": "back", "ArrowRight": "forward", "Home": "to_start", "End": "to_end"}


class Shortcuts(JSComponent):
    """Tells of keys that are pressed outside of any field; menus of the page open by keyboard, too."""

    own_page = param.Boolean(True, doc="Whether the page is ours: in a cell of a notebook, keys are the notebook's.")
    keys = param.List(list(KEYS), doc="The keys to tell of.")

    _esm = """
    // Under shadow roots the true target is first in the path.
    const target_of = (event) => event.composedPath()[0]
    const belongs = (event) => {
      // A button or a switch knows the space bar alone, a field all keys.
      const target = target_of(event), role = target.getAttribute?.("role")
      const pressed = target.tagName === "BUTTON" || role === "button" || ["checkbox", "radio"].includes(target.type)
      if (pressed) return event.key === " "
      return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName) ||
        ["slider", "option", "combobox", "menuitem"].includes(role)
    }
    const open_menu = (event) => {
      // The page's own menus open at a click alone.
      const target = target_of(event)
      if (target.getAttribute?.("role") !== "combobox" || target.tagName === "INPUT") return
      if (![" ", "Enter", "ArrowDown", "ArrowUp"].includes(event.key) || target.ariaExpanded === "true") return
      event.preventDefault()
      target.click()
    }
    export function render({model}) {
      const press = (event) => {
        if (!model.keys.includes(event.key) || belongs(event)) return
        if (event.ctrlKey || event.metaKey || event.altKey) return
        event.preventDefault()
        model.send_msg({key: event.key})
      }
      const listeners = model.own_page ? [press, open_menu] : [open_menu]
      for (const listener of listeners) window.addEventListener("keydown", listener)
      model.on("remove", () => { for (const listener of listeners) window.removeEventListener("keydown", listener) })
    }
    """

    def __init__(self, pressed: Callable[[str], None], **params: Any) -> None:
        super().__init__(width=0, height=0, margin=0, **params)
        self._pressed = pressed

    def _handle_msg(self, data: Any) -> None:
        self._pressed(data["key"])
