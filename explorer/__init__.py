"""Turns a run's events into pictures. Knows events, never a solver's insides."""
