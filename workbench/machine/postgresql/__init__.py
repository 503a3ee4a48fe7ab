"""Django's backend for PostgreSQL, with a time limit for statements."""
