"""Compares two snapshots of a job to judge whether a change fixed a problem: effect, noise band, judgement."""

from diagnostics.proof.problems import Problem
from diagnostics.proof.proving import Proof, SnapshotData, job_readings, prove
from diagnostics.proof.quantity import Effect, Judgement

__all__ = ["Effect", "Judgement", "Problem", "Proof", "SnapshotData", "job_readings", "prove"]
