"""The pages of cases: the list, and the page of one case with all that the other applications know of it."""
