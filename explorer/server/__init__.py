"""What all sessions of one server process share: the limits of a visitor, and the pool of runs.

In: limits from the command line or the environment, runs that want to start. Out: runs started in their turn. Knows
the engine alone. Read limits, then pool, then background: work beside the run that a page shows, within the limits.
"""
