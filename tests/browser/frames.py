"""How long the overview of the HTML report takes to paint a frame. usage: frames.py STREAMCHECK [OPERATIONS]

Zooms and moves through the whole run, each step painted at once; prints the median and the 95th of 100.
"""
import json
import os
import subprocess
import sys
import tempfile

import browser
import traces

PAINT = r"""(() => {
    show({isTime: SCALE, isAll: false});
    const times = [], run = z => {
        view.transform = z;
        const t = performance.now(); paint();
        view.canvas.getContext('2d').getImageData(view.left, 30, 1, 1);
        times.push(performance.now() - t);
    };
    for (let n = 0; n < 300; n++) {
        const k = Math.pow(view.count / 50, (1 - Math.cos(n / 300 * 2 * Math.PI)) / 2);
        run(d3.zoomIdentity.translate(-(k - 1) * view.inner * (n % 97) / 97, 0).scale(k));
    }
    return JSON.stringify({shown: view.count, times: times.sort((a, b) => a - b)});
})()"""


def unwrap(report):
    """Puts the functions of the page where this can call them."""
    with open(report, encoding="utf-8") as file:
        text = file.read()
    with open(report, "w", encoding="utf-8") as file:
        file.write(text.replace("<script>\n(() => {\n", "<script>\n").replace("\n})();\n</script>", "\n</script>"))


def print_times(scale, painted):
    times = painted["times"]
    print(f"{painted['shown']} operations by {scale}: median {times[len(times) // 2]:.1f} ms, "
          f"95 of 100 within {times[len(times) * 95 // 100]:.1f} ms, longest {times[-1]:.1f} ms")


def main():
    command, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100000
    with tempfile.TemporaryDirectory() as folder:
        trace, report = os.path.join(folder, "t.sct.txt"), os.path.join(folder, "r.html")
        with open(trace, "w", encoding="utf-8") as file:
            file.write(traces.many_times(count))
        subprocess.run([command, "analyze", "--format=html", "--output=" + report, trace], check=False)
        unwrap(report)
        page = browser.Browser()
        try:
            page.size(1240, 900)
            page.open(report)
            painted = {scale: json.loads(page.ask(PAINT.replace("SCALE", json.dumps(scale == "time")))) for scale in ("order", "time")}
        finally:
            page.close()
    for scale, one in painted.items():
        print_times(scale, one)


if __name__ == "__main__":
    main()
