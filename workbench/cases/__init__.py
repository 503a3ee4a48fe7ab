"""Cases: the shared history of incidents, with people, notes and snapshots."""
