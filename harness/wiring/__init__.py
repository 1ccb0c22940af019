"""The composition root: the only place that names concrete adapters, and the only one that knows of the rehearsal.

First everything that can be wrong with the input is found, with nothing started and nothing spent (`inputs`); then services are
started, in the order in which they are cheap to fail (`session`).
"""
