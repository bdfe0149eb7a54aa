#!/usr/bin/env python3
"""One handle of a library in two streams is reported (SC-209), and its corrections are seen.

usage: test_libraries.py PREFIX PROGRAMS local|global|looked_up
"""
import os
import sys

import checked

WAYS = {"shared": ["SC-209"], "plan": ["SC-209"], "ordered": [], "workspace": [],
        "two_handles": [], "destroyed": [], "refused": [],
        "forked": []}


def wrong_in(prefix, programs, scope, way, schedule):
    """What is not as it must be in one run."""
    program = os.path.join(programs, "load")
    user = "user_looked_up.so" if scope == "looked_up" else "user.so"
    result = checked.check(prefix, program, "run", "sim", schedule,
                           [scope, os.path.join(programs, user), way])
    if result.report is None or not result.report["complete"]:
        return [f"no whole report; exit code {result.code}: {result.err}"]
    found = [f for f in result.findings if f["severity"] != "advice"]
    wrong = []
    if result.code:
        wrong.append(f"it ended with {result.code}: {result.err}")
    if [f["rule"] for f in found] != WAYS[way]:
        wrong.append(f"found {[f['rule'] for f in found]}, not {WAYS[way]}: {result.err}")
    wrong += [f"it is {f['confidence']}" for f in found if f["confidence"] != "possible"]
    wrong += [f"the doubt is {f.get('doubt')}" for f in found
              if "handle" not in (f.get("doubt") or "")]
    return wrong


def main():
    prefix, programs, scope = sys.argv[1:4]
    wrong = []
    for way in WAYS:
        for schedule in checked.SCHEDULES:
            wrong += [f"{way} {schedule}: {text}"
                      for text in wrong_in(prefix, programs, scope, way, schedule)]
    env = checked.environment(prefix, "sim", None, True)
    code, _, err = checked.run([os.path.join(programs, "load"), "absent"], env)
    if code:
        wrong.append(f"absent: ended with {code}: {err}")
    print(f"{len(WAYS)} ways")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
