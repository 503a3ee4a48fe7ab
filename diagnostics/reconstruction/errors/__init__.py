"""Errors that processes, clients and connectors log, which may say what failed where no task's failure does."""
