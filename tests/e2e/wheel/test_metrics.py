#!/usr/bin/env python3
"""The lines of a run as metrics, and as logs: usage: test_metrics.py COMMAND PROGRAM   (77: no prometheus-client)"""
import datetime
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
try:
    import prometheus_client
except ImportError:
    print("skipped: no prometheus-client")
    sys.exit(77)
sys.path.insert(0, os.path.join(ROOT, "packaging/python"))
from streamcheck import metrics  # noqa: E402


def page():
    with open(os.path.join(ROOT, "docs/user/live.md"), encoding="utf-8") as file:
        return file.read()


def check_served(lines):
    """As a service's: the lines come through a pipe, and Prometheus asks for them while it is open."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([os.path.join(ROOT, "packaging/python"), *sys.path])}
    with subprocess.Popen([sys.executable, "-m", "streamcheck.metrics", f"127.0.0.1:{port}"], stdin=subprocess.PIPE, text=True,
                          env=env) as server:
        server.stdin.writelines(lines)
        server.stdin.flush()
        said = ""
        while 'streamcheck_findings{' not in said and server.poll() is None:
            time.sleep(0.1)
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
                    said = answer.read().decode()
            except OSError:
                pass  # it does not listen yet
        server.stdin.close()
        if server.wait() or 'rule="SC-102"' not in said:
            sys.exit(f"the server ended with {server.returncode}: {said}")
    done = subprocess.run([sys.executable, "-m", "streamcheck.metrics", "nothing"], env=env, capture_output=True, text=True, check=False)
    if done.returncode != 2 or "usage" not in done.stderr:
        sys.exit(done.stderr)


def field(line, path):
    """What a line has at a path of the collector's: attributes.finding.severity."""
    for name in path.split(".")[1:]:
        line = line[name]
    return line


def check_logs(lines):
    """The configuration of the collector that the page shows fits the lines."""
    try:
        import yaml  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("no module yaml: the configuration of the collector was not read")
        return
    text = re.search(r"(?m)^    receivers:\n(?:^    .*\n)+", page())[0]
    parser, severity = yaml.safe_load(text)["receivers"]["filelog"]["operators"]
    rows = [json.loads(line) for line in lines if line.strip()]
    findings = [row for row in rows if row["kind"] == "finding"]
    if (parser["type"], severity["type"]) != ("json_parser", "severity_parser") or severity["if"] != 'attributes.kind == "finding"':
        sys.exit(text)
    if parser["timestamp"]["layout"] != "2006-01-02T15:04:05.000Z":  # of Go's; here it is Python's
        sys.exit(text)
    for row in rows:
        datetime.datetime.strptime(field(row, parser["timestamp"]["parse_from"]), "%Y-%m-%dT%H:%M:%S.%fZ")
    known = {"error", *severity["mapping"].values()}
    if not findings or {field(row, severity["parse_from"]) for row in findings} - known or known != {"error", "warning", "advice"}:
        sys.exit(text)


def main():
    registry = prometheus_client.CollectorRegistry()
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        subprocess.run([sys.argv[1], "run", "--device=sim", "--live-output=live.jsonl", "--", sys.argv[2]], cwd=folder, check=False,
                       capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
        with open(os.path.join(folder, "live.jsonl"), encoding="utf-8") as file:
            lines = file.readlines()
    check_logs(lines)
    check_served(lines)
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
