"""What runs where, with which settings: jobs, tasks, TaskManagers, their graph, and the clocks of their logs."""
