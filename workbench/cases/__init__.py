"""Cases: the shared history of incidents, what was found and what fixed it."""
