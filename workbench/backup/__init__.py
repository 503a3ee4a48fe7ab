"""Backup of a workbench to one file, restore into any database, and the check before an upgrade."""
