"""Sanitises untrusted values for a database, a form or a spreadsheet, and opens untrusted archives."""
