"""Nothing is deleted by age because somebody changed the clock."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from workbench.machine.steady_clock import JUMP_SECONDS, PAUSE_SECONDS, SteadyClock

YEAR = 365 * 24 * 3600.0


@dataclass
class Machine:
    """A machine whose clock can be set."""

    clock: float = 1.8e9
    passed: float = 100.0

    def let_pass(self, seconds: float) -> None:
        self.clock += seconds
        self.passed += seconds


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def steady(machine: Machine) -> SteadyClock:
    return SteadyClock(lambda: machine.clock, lambda: machine.passed)


def test_a_clock_that_goes_on_is_steady(machine: Machine, steady: SteadyClock) -> None:
    for _ in range(1000):
        machine.let_pass(3.0)
        machine.clock += 0.5  # NTP corrects it, 500 s in all
        assert steady.is_steady()


@pytest.mark.parametrize("jump", [YEAR, -YEAR, JUMP_SECONDS + 1])
def test_nothing_is_deleted_for_a_day_after_a_jump(machine: Machine, steady: SteadyClock, jump: float) -> None:
    machine.clock += jump
    assert not steady.is_steady()
    machine.let_pass(PAUSE_SECONDS - 10)
    assert not steady.is_steady()
    machine.let_pass(20)
    assert steady.is_steady()


def test_a_clock_that_is_set_right_again_is_trusted_at_once(machine: Machine, steady: SteadyClock) -> None:
    machine.clock += YEAR
    assert not steady.is_steady()
    machine.let_pass(60)
    machine.clock -= YEAR
    assert steady.is_steady()
    machine.clock += YEAR
    assert not steady.is_steady()
