"""The screen that all systems share: one `Stage` for each visitor of a page, and for each cell of a notebook.

In: the `Presentation` of a system, data and settings that a person chooses. Out: a page with a live run on it. What a
person does goes from the widgets to `Stage`, which makes a run and puts it into `CurrentRun`; each tick, `Refresh`
takes it from there to the figures and words.

Read in this order:

    presentation, presets                what a system brings
    actions                              what a person does
    current_run                          what is on the stage: run, recording, cursor, place in the pool
    refresh                              what is drawn, and when
    screen                               where everything stands on the page
    transport, controls, data_panel, share_row       the widgets: playback, settings, data, links and files
    story                                words as HTML, and those that hold of every system
    shortcuts, browser_window                 the browser's side: keys; frames drawn, size, theme, address bar
"""
