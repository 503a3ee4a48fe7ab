"""The disorder bound of a watermark: lost records against added latency."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostics.calculators.calculator import Calculator, Input, Line, Outcome
from diagnostics.evidence.subject import Lookup
from diagnostics.wording.phrase import duration, percent


def _lost(bound: float, known: list[tuple[float, float]]) -> tuple[float, str]:
    """The share of records later than the bound, interpolated linearly between known ones; with the calculation as
    text.
    """
    before = known[0]
    for after in known:
        if after[0] >= bound:
            if after[0] == before[0]:
                return after[1], f"known at {duration(after[0])}"
            part = (bound - before[0]) / (after[0] - before[0])
            share = before[1] + part * (after[1] - before[1])
            told = (
                f"{percent(before[1])} at {duration(before[0])}, {percent(after[1])} at "
                f"{duration(after[0])}, between them"
            )
            return share, told
        before = after
    return known[-1][1], f"at most the {percent(known[-1][1])} of {duration(known[-1][0])}"


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    known = sorted([(0.0, 1.0), (values["p50_ms"], 0.5), (values["p99_ms"], 0.01), (values["p999_ms"], 0.001)])
    bound, now = values["bound_ms"], values["now_ms"]
    (lost, told), (lost_now, _) = _lost(bound, known), _lost(now, known)
    lines = [
        Line("Later than the bound", told, percent(lost)),
        Line("Later than the present bound", f"the same at {duration(now)}", percent(lost_now)),
        Line("Results come later by", f"{duration(bound)} - {duration(now)}", duration(bound - now)),
    ]
    results = {"lost": lost, "lost_now": lost_now, "later_ms": bound - now}
    refusals = []
    ahead = lookup("device_clocks.fast_devices")
    if isinstance(ahead, (int, float)) and ahead > 0:
        refusals.append(
            f"{ahead:.0f} devices have clocks that run ahead. They drive the watermark, so every right event is late "
            "whatever the bound: cap event times at the arrival first."
        )
    if refusals:
        return Outcome("do not", refusals[0], lines, refusals, results)
    if bound <= now:
        return Outcome(
            "depends",
            f"A bound of {duration(bound)} loses {percent(lost)}; now {percent(lost_now)} are late.",
            lines,
            results=results,
        )
    headline = (
        f"{percent(lost)} are late in place of {percent(lost_now)}, and every result comes "
        f"{duration(bound - now)} later."
    )
    return Outcome("do" if lost < lost_now else "depends", headline, lines, results=results)


CALCULATOR = Calculator(
    id="disorder-bound",
    title="Disorder bound of the watermark",
    question="How many records are late with another bound, and what does it cost?",
    formula="late = share of events whose lag exceeds the bound; latency = bound",
    inputs=(
        Input(
            "bound_ms",
            "Bound to try",
            "duration",
            ("device_clocks.needed_right_bound_999_ms", "device_clocks.needed_bound_999_ms"),
            high=300_000,
            choice=True,
        ),
        Input("now_ms", "Bound now", "duration", ("device_clocks.bound_ms",), high=300_000),
        Input("p50_ms", "Half of the events come within", "duration", ("device_clocks.lag_p50_ms",), high=300_000),
        Input(
            "p99_ms",
            "99 % come within",
            "duration",
            ("device_clocks.needed_right_bound_99_ms", "device_clocks.needed_bound_99_ms", "device_clocks.lag_p99_ms"),
            high=300_000,
        ),
        Input(
            "p999_ms",
            "99.9 % come within",
            "duration",
            ("device_clocks.needed_right_bound_999_ms", "device_clocks.needed_bound_999_ms"),
            high=600_000,
        ),
    ),
    assumptions=(
        "Between two known percentiles the share falls along a straight line: a rough reading of the tail.",
        "The sample represents all events; the bound counts from the highest event time seen.",
    ),
    compute=_compute,
    symptoms=("out_of_order_events",),
    docs=("S072",),
)
