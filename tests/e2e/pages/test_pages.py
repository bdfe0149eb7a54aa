#!/usr/bin/env python3
"""What a text report shows of many findings, and of findings that have one cause.

usage: test_pages.py PREFIX BANDWIDTH PIPELINE
BANDWIDTH has some thousand findings: its report is a page, and nothing that counts findings counts fewer. PIPELINE has
three findings of one cause: two are below the first, unless that is suppressed.
"""
import json
import os
import re
import sys
import tempfile

import checked

PAGE = 110
FUNCTIONS = 4 * 84


def reports(prefix, program, folder, *options):
    """Exit code, text and data of one run."""
    text, data = os.path.join(folder, "text"), os.path.join(folder, "data")
    code, _, err = checked.run([os.path.join(prefix, "bin", "streamcheck"), "run", "--device=sim", f"--output={text}", f"--report=json:{data}", *options,
                                "--", program], checked.environment(prefix, "sim", "lazy"), cwd=folder)
    if not os.path.exists(text):
        return code, err, {"findings": []}
    with open(text, encoding="utf-8") as file:
        return code, file.read(), checked.read_report(data)


def blocks(text):
    return re.findall(r"^(?:error|warning|advice) SC-\d+", text, re.M)


def wrong_of_page(prefix, program, folder):
    """A page by default, everything when asked for; the numbers are the same."""
    code, page, data = reports(prefix, program, folder, f"--trace={folder}/trace")
    found = len(data["findings"])
    lines = page.count("\n")
    errors = sum(f["severity"] == "error" for f in data["findings"])
    if code != 66 or found < 2.9 * FUNCTIONS:
        return f"exit code {code}, {found} findings"
    if lines > PAGE or not 1 < len(blocks(page)) < 10:
        return f"{lines} lines, {len(blocks(page))} findings in full:\n{page}"
    if f"streamcheck: {errors} errors" not in page or f"of {found} findings in full; --text=all" not in page:
        return f"{errors} errors of {found} findings are not counted:\n{page}"
    if {f["rule"] for f in data["findings"]} - set(re.findall(r"SC-\d+", page)):
        return f"a rule is not on the page:\n{page}"
    if "looks for the fewest edits" not in page or data["repair"].get("edits"):
        return f"a plan was made of {found} findings:\n{page}"
    code, whole, _ = reports(prefix, program, folder, "--text=all")
    if code != 66 or len(blocks(whole)) != found:
        return f"--text=all: exit code {code}, {len(blocks(whole))} of {found} findings"
    code, joint, _ = checked.run([os.path.join(prefix, "bin", "streamcheck"), "analyze", "--html=no", "--output=-", *2 * [f"{folder}/trace"]],
                                 checked.environment(prefix, "sim"))
    if code != 66 or joint.count("\n") > 1.8 * PAGE or f"  and {found - 20} more; --text=all" not in joint:
        return f"two processes: exit code {code}, {joint.count(chr(10))} lines:\n{joint}"
    last = data["findings"][-1]["number"]
    code, said, _ = checked.run([os.path.join(prefix, "bin", "streamcheck"), "explain", str(last), f"{folder}/trace"], checked.environment(prefix, "sim"))
    if code or data["findings"][-1]["rule"] not in said:
        return f"explain {last}: exit code {code}: {said}"
    return None


def wrong_of_cause(prefix, program, folder):
    """The followers are below their leader, and count; without it they stand for themselves."""
    code, text, data = reports(prefix, program, folder)
    leaders = [f.get("cause", 0) for f in data["findings"]]
    if code != 66 or leaders != [0, 1, 1] or len(blocks(text)) != 1 or "streamcheck: 3 errors" not in text:
        return f"exit code {code}, leaders {leaders}:\n{text}"
    if not re.search(r"^  also: +2 more findings for the same reason", text, re.M):
        return f"nothing is listed below it:\n{text}"
    if data["repair"]["edits"] != 1 or data["repair"]["ended"] != 2 or "1 edit ends 2 findings of these 3" not in text:
        return f"repair: {data['repair']}:\n{text}"
    with open(f"{folder}/hidden", "w", encoding="utf-8") as file:
        file.write("[known]\nrule = SC-105\n")
    code, text, data = reports(prefix, program, folder, f"--suppressions={folder}/hidden")
    if code != 66 or [f["rule"] for f in data["findings"]] != ["SC-106"] or data["findings"][0].get("cause") or data["findings"][0]["number"] != 3:
        return f"with the first hidden: exit code {code}: {json.dumps(data['findings'])[:2000]}"
    return None if blocks(text) == ["error SC-106"] and "2 suppressed" in text else f"with the first hidden:\n{text}"


def main():
    prefix, bandwidth, pipeline = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        wrong = wrong_of_page(prefix, bandwidth, folder) or wrong_of_cause(prefix, pipeline, folder)
    if wrong:
        sys.exit(wrong)


main()
