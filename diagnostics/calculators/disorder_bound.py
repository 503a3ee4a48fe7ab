"""The disorder bound of a watermark: lost records against added latency."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from diagnostics.calculators.calculator import Calculator, Input, Line, Outcome
from diagnostics.evidence.subject import Lookup
from diagnostics.language import say, to_say
from diagnostics.wording.phrase import duration, percent

SHOWN_SHARES = (0.1, 0.05, 0.01, 0.005, 0.001)
"""Shares of late events whose bound is listed. Our choice."""

Curve = Sequence[tuple[float, float]]
"""(bound, share of the events that are later), by rising bounds."""


def late_share(bound: float, curve: Curve) -> float:
    """The share of the events that are later than the bound, between two points of the curve on the line between them.

    Below the first point every event is late; beyond the last one those of the last point.
    """
    after = bisect_left(curve, bound, key=lambda point: point[0])
    if after == len(curve):
        return curve[-1][1]
    to_bound, to_share = curve[after]
    if to_bound == bound or after == 0:
        return to_share if to_bound == bound else 1.0
    from_bound, from_share = curve[after - 1]
    return from_share + (bound - from_bound) / (to_bound - from_bound) * (to_share - from_share)


def bound_for(share: float, curve: Curve) -> float | None:
    """The smallest bound of the curve that at most this share of the events exceeds; None when there is none."""
    return next((bound for bound, late in curve if late <= share), None)


def _curve(lookup: Lookup) -> Curve:
    bounds, late = lookup("device_clocks.curve_bound_ms"), lookup("device_clocks.curve_late_ratio")
    if not isinstance(bounds, list) or not isinstance(late, list):
        return []
    points = zip(bounds, late, strict=False)
    return [(float(bound), float(share)) for bound, share in points]


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    """The share of late events for a bound, on the whole curve of the sample.

    The highest event time drives the watermark, so a clock that runs ahead takes its lead from the bound.
    """
    curve = _curve(lookup)
    if not curve:
        return Outcome(
            "not known", say("Not measured here: a sample of the input events with the time of their arrival.")
        )
    bound, now, ahead = values["bound_ms"], values["now_ms"], values["ahead_ms"]
    lost, lost_now = late_share(bound - ahead, curve), late_share(now - ahead, curve)
    lead = f"{duration(bound)} - {duration(ahead)}"
    lines = [
        *([Line(say("Left of the bound behind the fastest clock"), lead, duration(bound - ahead))] if ahead else []),
        Line(say("Later than the bound"), _late(bound - ahead), percent(lost)),
        Line(say("Later than the present bound"), _late(now - ahead), percent(lost_now)),
        Line(say("Results come later by"), f"{duration(bound)} - {duration(now)}", duration(bound - now)),
        *_points(curve, ahead, now),
    ]
    results = {"lost": lost, "lost_now": lost_now, "later_ms": bound - now}
    if ahead and bound <= ahead:
        refusal = say(
            "The clocks of some devices run ahead, by up to {ahead}, which is more than this bound. They "
            "drive the watermark, so every right event is late: cap event times at the arrival first.",
            ahead=duration(ahead),
        )
        return Outcome("do not", refusal, lines, [refusal], results)
    if bound <= now:
        headline = say(
            "A bound of {bound} loses {lost}; now {lost_now} are late.",
            bound=duration(bound),
            lost=percent(lost),
            lost_now=percent(lost_now),
        )
        return Outcome("depends", headline, lines, results=results)
    headline = say(
        "{lost} are late in place of {lost_now}, and every result comes {time} later.",
        lost=percent(lost),
        lost_now=percent(lost_now),
        time=duration(bound - now),
    )
    return Outcome("do" if lost < lost_now else "depends", headline, lines, results=results)


def _late(left: float) -> str:
    if left < 0:
        return say("all events: the fastest clock is ahead by more")
    return say("events more than {left} late", left=duration(left))


def _points(curve: Curve, ahead: float, now: float) -> list[Line]:
    """The bounds for shares of late events, each with its latency."""
    bounds = [(share, bound_for(share, curve)) for share in SHOWN_SHARES]
    return [
        Line(
            say("At most {share} late", share=percent(share)),
            say("{share} are later than {bound}", share=percent(late_share(bound, curve)), bound=duration(bound)),
            say(
                "bound {bound}, results {time} later",
                bound=duration(bound + ahead),
                time=duration(max(bound + ahead - now, 0.0)),
            ),
        )
        for share, bound in bounds
        if bound is not None
    ]


def _has_events(lookup: Lookup) -> bool:
    """Whether a sample of the input events shows how late they come."""
    return lookup("device_clocks.curve_bound_ms") is not None


CALCULATOR = Calculator(
    id="disorder-bound",
    title=to_say("Disorder bound of the watermark"),
    question=to_say("How many records are late with another bound, and what does it cost?"),
    formula=to_say(
        "late = share of events whose lag exceeds what clocks that run ahead leave of the bound; latency = bound"
    ),
    inputs=(
        Input(
            "bound_ms",
            to_say("Bound to try"),
            "duration",
            ("device_clocks.needed_right_bound_999_ms", "device_clocks.needed_bound_999_ms"),
            high=300_000,
            choice=True,
        ),
        Input("now_ms", to_say("Bound now"), "duration", ("device_clocks.bound_ms",), high=300_000),
        Input(
            "ahead_ms",
            to_say("Lead of the fastest clock"),
            "duration",
            ("device_clocks.fast_by_max_ms",),
            assumed=0.0,
            because=to_say("no device of the sample has a clock that runs ahead"),
            high=300_000,
        ),
    ),
    assumptions=(
        to_say("The curve has up to 48 measured points; between two of them the share falls along a straight line."),
        to_say("The sample represents all events; the bound counts from the highest event time seen."),
        to_say(
            "All events pass one watermark: where each partition has its own, a fast clock only concerns its partition."
        ),
    ),
    compute=_compute,
    symptoms=("out_of_order_events",),
    concerns=_has_events,
    docs=("S072", "S073"),
)
