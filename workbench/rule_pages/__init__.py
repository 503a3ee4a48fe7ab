"""The pages of rules: list, help page, editor, trials on old cases, log. `rules` stores what is written here."""
