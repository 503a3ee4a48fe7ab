"""People, teams and roles, and how people sign in."""
