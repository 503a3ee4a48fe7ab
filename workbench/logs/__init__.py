"""The records of a case's logs: listed, searched, counted and pinned."""
