"""What a person does on the page of a stage, and what there is to see, for browser tests."""

import re

from playwright.sync_api import expect

# Where in the window the point of the scene with number 7 is.
SPOT = """() => {
  const views = [], walk = (v) => { views.push(v); for (const c of v.child_views ?? []) walk(c) }
  for (const r of Object.values(Bokeh.index.roots ?? Bokeh.index)) walk(r)
  const view = views.find((v) => v.model.name === "scene")
  const under = (r) => r.glyph.type === "Scatter" && isNaN(r.glyph.angle.value)
  const source = view.model.renderers.find(under).data_source
  const frame = view.canvas_view.el.getBoundingClientRect()
  return [frame.x + view.frame.x_scale.compute(source.get_array("x")[7]),
          frame.y + view.frame.y_scale.compute(source.get_array("y")[7])] }"""

# The values of the column of a name, of the first source that has one.
COLUMN = """(name) => { for (const m of Bokeh.documents.at(-1)._all_models.values())
  if (m.type === "ColumnDataSource" && name in m.data) return Array.from(m.data[name]) }"""

TITLES = "() => [...Bokeh.documents.at(-1)._all_models.values()].filter((m) => m.type === 'Title').map((m) => m.text)"

# What the story of a system says in the first moments of a run.
BEGINNINGS = {
    "kernel-svm": r"Iteration \d+\.",
    "dcsvm": r"Level \d, cell \d+ of \d+ solved",
    "clustersvm": r"(PDDP splits|clusters of|Who stands for whom|The reduced set|Iteration \d+)",
    "budgeted-sgd": r"(Step [\d,]+ of|Merge [\d,]+\.)",
    "dcpred": r"(Divided\.|Trained: leaf \d+|Leaf \d+)",
    "dcpred-ridge": r"(Divided\.|Trained: leaf \d+|Leaf \d+)",
    "interior-point": r"(Pivot \d+|Iteration \d+\.|Factorise by|K ≈)",
}


def begun(page, solver):
    """The page of a system, once its run has begun."""
    expect(page.get_by_text(re.compile(BEGINNINGS[solver])).first).to_be_visible()
    return page


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def place(page):
    """(event, of how many) as the transport says it."""
    text = page.get_by_text(re.compile(r"event [\d,]+ of [\d,]+")).inner_text()
    return tuple(int(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", text)[:2])


def settled(page, condition):
    """The place, once it is as it should be."""
    for _ in range(100):
        if condition(*(found := place(page))):
            return found
        page.wait_for_timeout(100)
    raise AssertionError(f"event {found[0]} of {found[1]}")


def at_event(page, number):
    return expect(page.get_by_text(re.compile(rf"event {number} of")))


def pause(page):
    button(page, "Pause").click()
    expect(button(page, "Play")).to_be_visible()
    expect(button(page, "Play")).to_have_attribute("aria-busy", "false")  # the server has heard it
    seen = None
    while seen != (seen := place(page)):  # what was on its way is drawn
        page.wait_for_timeout(1500)


def scene(page):
    """Where the scene is on the screen."""
    figure = page.locator(".bk-Figure").first
    figure.scroll_into_view_if_needed()
    return figure.bounding_box()


def change(page, setting, value, label=None):
    """Give a setting another value and run with it."""
    field = page.get_by_label(label or setting, exact=True)
    page.wait_for_timeout(1500)  # until the last part of the page is there, as any person would
    field.fill(value)
    page.keyboard.press("Enter")
    expect(field).to_have_value(value)
    button(page, "Run").click()
    page.wait_for_function(f"location.search.includes('{setting}={value}')")


def to_the_end(page, why="converged"):
    page.get_by_label("Speed").select_option("full speed")
    expect(page.get_by_text(f"Finished: {why}")).to_be_visible()


def wait_for(page, condition):
    for _ in range(300):
        if condition():
            return
        page.wait_for_timeout(100)
    raise AssertionError("waited in vain")
