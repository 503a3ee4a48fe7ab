"""Catalogues as data, with their loaders: log events, known frames, settings, known bugs, kinds of evidence."""
