"""Who works here, in which team, and what each role may do."""
