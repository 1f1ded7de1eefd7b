"""Record the results of all cases anew: `make golden`.

It refuses to record a change that no field may have, unless the case is named:
`make golden ARGS="--accept 'two classes: gate, 2'"`.
"""

from __future__ import annotations

import argparse
import json
import sys

from tqdm import tqdm

from golden.cases import CASES
from golden.net import RESULTS, broken, merged, moved, recorded, result


def main() -> int:
    """Record all results, and say what changed."""
    parser = argparse.ArgumentParser(prog="make golden", description=__doc__)
    parser.add_argument(
        "--accept", action="append", default=[], help="the start of the titles of cases to accept"
    )
    accepted = tuple(parser.parse_args().accept)
    old = recorded() if RESULTS.exists() else {}
    refused, changed, found = 0, 0, {}
    for title, call in tqdm(CASES.items(), unit="case", disable=None):
        new = result(call)
        if title not in old or title.startswith(accepted or "\0"):
            found[title] = new
            changed += title in old
            continue
        for each in broken(old[title], new):
            refused += 1
            print(f"not recorded: {title}: {each}", file=sys.stderr)
        changed += bool(moved(old[title], new))
        found[title] = merged(old[title], new)
    if refused:
        print(f"{refused} fields changed that must not; nothing was written", file=sys.stderr)
        return 1
    lines = (f"{json.dumps(key)}: {_lines(value)}" for key, value in found.items())
    RESULTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    added, removed = len(found.keys() - old.keys()), len(old.keys() - found.keys())
    print(f"{len(found)} cases: {added} new, {removed} gone, {changed} changed")
    return 0


def _lines(value: object) -> str:
    """Return a result with one line per verdict, so that a diff can be read."""
    if isinstance(value, dict) and all(isinstance(each, dict) for each in value.values()):
        inner = (f" {json.dumps(key)}: {json.dumps(each)}" for key, each in value.items())
        return "{\n" + ",\n".join(inner) + "}"
    return json.dumps(value)


if __name__ == "__main__":
    sys.exit(main())
