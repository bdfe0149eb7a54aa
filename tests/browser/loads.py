"""How large the HTML report is, and how long it takes to load. usage: loads.py STREAMCHECK

Prints a table for 1, 10, 1,000 and 20,000 findings: bytes, and seconds (the median of five) to the load event and to the first
frame after it, to another grouping, and to a search.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import browser
import test_many
import traces

SEARCH = ("(() => { const s = document.getElementById('search'); s.value = 'queue 7'; s.dispatchEvent(new Event('input'));"
          " s.value = ''; s.dispatchEvent(new Event('input')); })()")


def seconds(action):
    start = time.monotonic()
    action()
    return time.monotonic() - start


def measure(page, report):
    def load():
        page.open(report)
        page.ask(test_many.PAINTED)

    def ask(script):
        page.ask(script)
        page.ask(test_many.PAINTED)

    rows = []
    for _ in range(5):
        page.open("/dev/null")
        rows.append([seconds(load), seconds(lambda: ask(test_many.choose("group-by", "place"))), seconds(lambda: ask(SEARCH))])
    return [statistics.median(column) for column in zip(*rows)]


def main():
    page = browser.Browser()
    page.size(1280, 900)
    with tempfile.TemporaryDirectory() as folder:
        for count in (1, 10, 1000, 20000):
            trace, report = os.path.join(folder, "t.sct.txt"), os.path.join(folder, "r.html")
            with open(trace, "w", encoding="utf-8") as file:
                file.write(traces.stripped(count, count))
            subprocess.run([sys.argv[1], "analyze", "--format=html", "--output=" + report, trace], check=False)
            load, group, search = measure(page, report)
            print(f"{count:6} findings: {os.path.getsize(report):9} bytes, loaded in {load:.2f} s, grouped by place in {group:.2f} s, searched in {search:.2f} s")
    page.close()


if __name__ == "__main__":
    main()
