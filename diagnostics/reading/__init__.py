"""From files to answers: byte ranges read by Spark's Python workers, and reduced there to what aggregators keep."""
