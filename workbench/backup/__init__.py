"""A workbench as one file: written, read back into any database, and what is asked before an upgrade."""
