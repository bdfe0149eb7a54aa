#!/usr/bin/env python3
"""The lines of a run as metrics: usage: test_metrics.py COMMAND PROGRAM   (77: no prometheus-client)"""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
try:
    import prometheus_client
except ImportError:
    print("skipped: no prometheus-client")
    sys.exit(77)
sys.path.insert(0, os.path.join(ROOT, "packaging/python"))
from streamcheck import metrics  # noqa: E402


def main():
    registry = prometheus_client.CollectorRegistry()
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        subprocess.run([sys.argv[1], "run", "--device=sim", "--live-output=live.jsonl", "--", sys.argv[2]], cwd=folder, check=False,
                       capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
        with open(os.path.join(folder, "live.jsonl"), encoding="utf-8") as file:
            lines = file.readlines()
    metrics.follow(lines + ["\n"], registry)
    said = prometheus_client.generate_latest(registry).decode()
    found = [line for line in said.splitlines() if line.startswith("streamcheck_findings{") and line.endswith(" 1.0")]
    if len(found) != 1 or 'rule="SC-102"' not in found[0] or 'severity="error"' not in found[0]:
        sys.exit(said)
    if not registry.get_sample_value("streamcheck_operations"):
        sys.exit(said)
    # The same finding, told again because it is surer, is still one.
    told = next(line for line in lines if '"kind": "finding"' in line)
    again = prometheus_client.CollectorRegistry()
    metrics.follow([told.replace('"proven"', '"likely"'), told], again)
    counted = [s.value for family in again.collect() for s in family.samples if s.name == "streamcheck_findings"]
    if sorted(counted) != [0, 1]:
        sys.exit(f"counted {counted}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
