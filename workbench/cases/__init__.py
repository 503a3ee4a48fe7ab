"""Cases: the shared history of incidents, with their people, notes and snapshots."""
