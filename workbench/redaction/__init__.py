"""Redaction of files before they are stored: rules that administrators edit, and a preview."""
