"""Numbers in groups of three, as in Flink's web interface; Django has groups of four without a separator."""

THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
