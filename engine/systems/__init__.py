"""The systems, one folder each, all of the same shape; the registry finds them by the name of their folder.

    system      the `System` object: what the registry, the command and the pages know of it
    settings    its table of settings          events      what its solver yields
    estimator   the scikit-learn estimator     paper       the figures and tables of its paper, measured again

A fit goes estimator -> training -> algorithm -> the modules that do the arithmetic: `training` makes problems of
labelled data and a model of their solutions, `algorithm` is the generator that reads like the paper. The estimator
calls training through the `System`, as command and pages do.

Start with `kernel_svm`. Systems import only `kernel_svm`, never each other: dcsvm, clustersvm, dcpred and
interior_point solve their subproblems with it, budgeted_sgd trains the exact model that its budget is compared with.
"""
