"""Counts that only grow. Rows of cases cannot be counted instead: a deleted case would make a counter fall."""

from __future__ import annotations

from django.db import models


class Tally(models.Model):
    """One count, or one sum of seconds.

    name   what is counted, one of `workbench.tallies.counting`
    label  its only label's value; of a histogram the label and the upper bound of the bucket, separated by `|`
    """

    name = models.CharField(max_length=40)
    label = models.CharField(max_length=60)
    value = models.FloatField(default=0)

    class Meta:
        ordering = ["name", "label"]
        constraints = [models.UniqueConstraint(fields=["name", "label"], name="one_tally_for_each_label")]
        verbose_name_plural = "tallies"

    def __str__(self) -> str:
        return f"{self.name} {self.label}"
