"""Catalogues that formats and signals share, as data: log events, known frames, kinds of evidence."""
