"""Programs that gather what the vocabulary knows, for its maintainers; a run of the tests starts none of them."""
