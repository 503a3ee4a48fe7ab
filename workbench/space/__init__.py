"""Disk usage by case, and the page on which administrators free space."""
