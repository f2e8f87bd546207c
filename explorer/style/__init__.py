"""How everything looks: colours, figures, boxes, icons, formulas, numbers. Imports nothing else of this project.

In: plain values and Bokeh figures. Out: the same in the style of the house, in light and in dark. Start with theme;
layout builds on it, and formulas, icons and number_format stand alone.
"""
