"""What each system brings to the stage: one folder a system, its counterpart of the same name in `engine/systems`.

In flow a recording's events; out flow frames, figures and words. Every folder has the same shape:

    presentation  what the registry finds: settings shown, listing, charts, and all of the following
    story         what just happened, in words
    reader        events as frames, where the common reader does not do; what the decision function is a sum over
    overlay       what it adds to the scene
    view          figures that only this system has
    presets.toml  beginnings worth seeing; thumbnail.png is for the home page

`kernel_svm` is the one to read first: stories and curves of the others fall back on its own.
"""
