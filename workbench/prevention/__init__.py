"""Alert rules, their unit test and a dashboard made from a case."""
