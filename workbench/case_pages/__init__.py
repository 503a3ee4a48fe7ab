"""The pages of cases: the list, and the page of one case with the data of all other applications."""
