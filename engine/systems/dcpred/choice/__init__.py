"""How DC-Pred++ chooses leaves, landmarks, pseudo-landmarks and weights by itself, for a promise that the user states.

In: training data and a `Promise`, a loss of accuracy or a cost of prediction. Out: a `Chosen`, and events of trying.

An exact model is trained on most of the rows, once. It says where landmarks pay and how accurate the rows put aside can
be predicted; candidates are fitted to the same rows and compared with it on those put aside, row by row. Read `promise`
(what is promised and what was found), `leaf_fit` (a leaf's compressed model in a few matrix products),
`neighbourhoods` (the rows around a leaf), `build` (leaves by a candidate's
settings), `reference` (the exact model), `search` (which candidates are tried), and `compression`, which puts them
together.
"""
