"""The lines of --live-output as metrics of Prometheus: python -m streamcheck.metrics [ADDRESS:]PORT <live.fifo

Needs prometheus-client (`pip install streamcheck[metrics]`). Ends with its input. Findings are counted when they are told
for the first time; one that becomes surer is told again, and counts for its new confidence only.
"""
from __future__ import annotations

import json
import sys
from typing import Any, Iterable

from prometheus_client import CollectorRegistry, Gauge, start_http_server  # type: ignore[import-not-found,unused-ignore]

STATUS = {"processes": "processes that are followed", "operations": "operations recorded", "trace_bytes": "size of the traces",
          "behind": "operations that are written and not judged yet"}


class Metrics:
    """What the lines that were taken say together."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.status = {name: Gauge(f"streamcheck_{name}", what, registry=registry) for name, what in STATUS.items()}
        self.findings = Gauge("streamcheck_findings", "different findings of all processes", ("rule", "severity", "confidence"),
                              registry=registry)
        self.told: dict[tuple[Any, Any], tuple[str, ...]] = {}

    def take(self, line: dict[str, Any]) -> None:
        if line["kind"] == "finding":
            finding = line["finding"]
            labels = tuple(str(finding[key]) for key in ("rule", "severity", "confidence"))
            before = self.told.pop((line["process"], finding["fingerprint"]), None)
            if before:
                self.findings.labels(*before).dec()
            self.told[line["process"], finding["fingerprint"]] = labels
            self.findings.labels(*labels).inc()
        for name, gauge in self.status.items():
            if line["kind"] != "finding" and name in line:
                gauge.set(line[name])


def follow(lines: Iterable[str], registry: CollectorRegistry) -> None:
    metrics = Metrics(registry)
    for line in lines:
        if line.strip():
            metrics.take(json.loads(line))


def main() -> int:
    address, _, port = sys.argv[1].rpartition(":") if len(sys.argv) == 2 else ("", "", "")
    if not port.isdigit():
        print("usage: python -m streamcheck.metrics [ADDRESS:]PORT <FIFO   (127.0.0.1, if no ADDRESS is given)", file=sys.stderr)
        return 2
    registry = CollectorRegistry()
    start_http_server(int(port), addr=address or "127.0.0.1", registry=registry)
    follow(sys.stdin, registry)
    return 0


if __name__ == "__main__":
    sys.exit(main())
