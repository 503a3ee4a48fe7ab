"""Makes records with a hot key and late events, and checks that they have the shares that it states.

python3 reproduce.py --records 200000 --check              checks the distribution, needs no Kafka
python3 reproduce.py --records 1000000 | kafka-console-producer.sh --bootstrap-server HOST:9092 --topic TOPIC \
    --property parse.key=true --property key.separator=$'\t'
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
LATE_SHARE = 0.0
BOUND_MS = 5000
LATE_BY_MS = 60000
SEED = 20240101
TOLERANCE = 0.01


def records(count: int, start_ms: int) -> Iterator[tuple[str, int, int]]:
    """Key, event time and time of arrival (epoch ms) of each record; the same seed gives the same records."""
    chance = random.Random(SEED)  # noqa: S311 no secret: the same seed shall give the same records
    for number in range(count):
        key = HOT_KEY if chance.random() < HOT_SHARE else f"key-{chance.randrange(OTHER_KEYS)}"
        late = chance.random() < LATE_SHARE
        lag = chance.uniform(BOUND_MS, BOUND_MS + LATE_BY_MS) if late else chance.uniform(0, BOUND_MS / 2)
        yield key, round(start_ms + number - lag), start_ms + number


def main() -> int:
    """0 when the records have the stated shares, 1 when they do not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--check", action="store_true", help="count only, print no record")
    asked = parser.parse_args()
    hot = late = 0
    for key, event_ms, arrival_ms in records(asked.records, round(time.time() * 1000)):
        hot += key == HOT_KEY
        late += arrival_ms - event_ms > BOUND_MS
        if not asked.check:
            value = json.dumps({"key": key, "event_time": event_ms, "ingest_time": arrival_ms})
            sys.stdout.write(f"{key}\t{value}\n")
    wrong = 0
    for name, count, stated in (("hot key", hot, HOT_SHARE), ("late", late, LATE_SHARE)):
        share = count / max(asked.records, 1)
        is_off = abs(share - stated) > TOLERANCE
        wrong += is_off
        sys.stderr.write(f"{name}: {share:.4f} of the records, stated {stated:.4f}: {'OFF' if is_off else 'ok'}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
