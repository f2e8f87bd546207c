"""What only the browser knows: keys pressed outside of any field, and what window the page is in."""

import param
from panel.custom import JSComponent


class Browser(JSComponent):
    """Passes on the keys of the transport, ignored while typing, and suits the page to the window it is in."""

    pressed = param.String(doc="The key, and a count that makes each press a change.")
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
    export function render({model}) {
      let count = 0
      const press = (event) => {
        if (!KEYS.includes(event.key) || typing(event) || event.ctrlKey || event.metaKey || event.altKey) return
        event.preventDefault()
        model.pressed = `${event.key}|${++count}`
      }
      window.addEventListener("keydown", press)
      model.on("remove", () => window.removeEventListener("keydown", press))
      // The page keeps its theme and its drawer to itself: ask it the way a person would.
      setTimeout(() => {
        if (window.matchMedia("(prefers-color-scheme: dark)").matches) find("Toggle theme")?.click()
        if (window.innerWidth < model.narrow) find("Close drawer")?.click()
      }, 200)
    }
    """
