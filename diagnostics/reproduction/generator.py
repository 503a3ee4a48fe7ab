"""Makes records with the hot key, the wrong clocks and the late events that are stated below, and checks their shares.

python3 reproduce.py --records 200000 --check              checks the distribution, needs no Kafka
python3 reproduce.py --records 1000000 | kafka-console-producer.sh --bootstrap-server HOST:9092 --topic TOPIC \
    --property parse.key=true --property key.separator=$'\t'

With wrong clocks it prints a thousand records a second, each when it arrives: a time stamp is ahead of a wall clock.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator

HOT_KEY = "hot"
HOT_SHARE = 0.9
OTHER_KEYS = 1000
FAST_KEYS = 0
FAST_BY_LEAST_MS = 0
FAST_BY_MOST_MS = 0
SLOW_KEYS = 0
SLOW_BY_LEAST_MS = 0
SLOW_BY_MOST_MS = 0
LATE_SHARE = 0.0
BOUND_MS = 5000
LATE_BY_MS = 60000
SEED = 20240101
TOLERANCE = 0.01


def clock_error_ms(key: int) -> float:
    """How far the clock of a key is ahead, below zero behind: the first keys are fast, the next ones slow."""
    if key < FAST_KEYS:
        return FAST_BY_LEAST_MS + (FAST_BY_MOST_MS - FAST_BY_LEAST_MS) * key / max(FAST_KEYS - 1, 1)
    place = key - FAST_KEYS
    if place < SLOW_KEYS:
        return -SLOW_BY_LEAST_MS - (SLOW_BY_MOST_MS - SLOW_BY_LEAST_MS) * place / max(SLOW_KEYS - 1, 1)
    return 0.0


def records(count: int, start_ms: int) -> Iterator[tuple[str, int, int]]:
    """Key, event time and time of arrival (epoch ms) of each record; the same seed gives the same records."""
    chance = random.Random(SEED)  # noqa: S311 no secret: the same seed shall give the same records
    for number in range(count):
        is_hot, key = chance.random() < HOT_SHARE, chance.randrange(OTHER_KEYS)
        error = 0.0 if is_hot else clock_error_ms(key)
        late = chance.random() < LATE_SHARE
        lag = chance.uniform(BOUND_MS, BOUND_MS + LATE_BY_MS) if late else chance.uniform(0, BOUND_MS / 2)
        lag = -error if error else lag
        yield HOT_KEY if is_hot else f"key-{key}", round(start_ms + number - lag), start_ms + number


def stated_shares() -> dict[str, float]:
    """What part of the records is of the hot key, ahead of its arrival, and later than the bound."""
    errors = [clock_error_ms(key) for key in range(FAST_KEYS + SLOW_KEYS)]
    others, wrong = (1 - HOT_SHARE) / OTHER_KEYS, len(errors)
    behind = others * sum(-error > BOUND_MS for error in errors)
    return {
        "hot key": HOT_SHARE,
        "ahead": others * FAST_KEYS,
        "late": behind + LATE_SHARE * (1 - others * wrong),
    }


def main() -> int:
    """0 when the records have the stated shares, 1 when they do not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--check", action="store_true", help="count only, print no record")
    asked = parser.parse_args()
    counts = dict.fromkeys(stated_shares(), 0)
    for key, event_ms, arrival_ms in records(asked.records, round(time.time() * 1000)):
        counts["hot key"] += key == HOT_KEY
        counts["ahead"] += event_ms > arrival_ms
        counts["late"] += arrival_ms - event_ms > BOUND_MS
        if asked.check:
            continue
        while (FAST_KEYS or SLOW_KEYS) and time.time() * 1000 < arrival_ms:
            sys.stdout.flush()
            time.sleep(0.01)
        value = json.dumps({"key": key, "event_time": event_ms, "ingest_time": arrival_ms})
        sys.stdout.write(f"{key}\t{value}\n")
    wrong = 0
    for name, stated in stated_shares().items():
        share = counts[name] / max(asked.records, 1)
        is_off = abs(share - stated) > TOLERANCE
        wrong += is_off
        sys.stderr.write(f"{name}: {share:.4f} of the records, stated {stated:.4f}: {'OFF' if is_off else 'ok'}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
