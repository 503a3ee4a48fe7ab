"""Django's backend for PostgreSQL, whose statements wait for an answer only as long as the program may."""
