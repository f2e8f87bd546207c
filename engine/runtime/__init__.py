"""What a run is, whatever the system.

In: a solver, which is a generator of events. Out: stamped events, a recording of them, and the solver's result.
Nothing here computes with data or knows a system. Of what is solved, only the events `Started` and `Finished` tell:
the kernel, the tolerance, multipliers and violations.

Read `events` (what a solver is and may yield), `run` (drives a solver, pauses and stops it), `recording` (keeps the
events), `archive` (files without pickle). Beside them: `counter` (kernel evaluations), `threads` (tiles on all cores),
`executor` (pieces of work for threads or Dask), `progress` (the bar), `cache_folder`, `errors`.
"""
