"""Whether a change fixed it: two snapshots of a job compared, with effect, noise band and a plain judgement."""

from diagnostics.proof.problems import Problem
from diagnostics.proof.proving import Proof, SnapshotData, prove
from diagnostics.proof.quantity import Effect, Judgement

__all__ = ["Effect", "Judgement", "Problem", "Proof", "SnapshotData", "prove"]
