"""Runs and measurements that several tests of DC-Pred++ share."""

import numpy as np
import scipy

from engine.runtime.counter import Counter
from engine.runtime.run import Run
from engine.systems.dcpred.events import TreeGrown


def drained(steps):
    return Run(steps, Counter()).result()


def recorded(solver, X, y, **settings):
    run = solver.recorded_run(X, y, solver.settings.checked(settings))
    events = list(run)
    return run.result(), events


def events_leaf(events, leaf):
    [grown] = [event for event in events if isinstance(event, TreeGrown)]
    return grown.labels == leaf


def projection_error(columns, G):
    Q = scipy.linalg.orth(columns)
    return np.linalg.norm(G - Q @ (Q.T @ G @ Q) @ Q.T) / np.linalg.norm(G)
