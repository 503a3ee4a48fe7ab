"""Listed clusters that are checked on a schedule: the health of each job over time, and early warnings."""
