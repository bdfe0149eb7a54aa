"""What must hold for the reports of one trace: each format is sound, and all have the same findings."""
import collections
import functools
import html.parser
import json
import os
import re
import runpy
import subprocess
import sys
import xml.etree.ElementTree as xml

import sarif_schema
import schema

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FORMATS = ("json", "text", "gcc", "github", "sarif", "junit", "perfetto", "html", "gitlab")

GCC_LINE = re.compile(r"^(?P<place>streamcheck|.+?:\d+(:\d+)?): (?P<word>error|warning|note): (?P<text>.*)$")
GCC_RULE = re.compile(r" \[(SC-\d+)\]$")
GITHUB_LINE = re.compile(r"^::(error|warning|notice) (file=[^,:]+,line=\d+,(col=\d+,)?)?"
                         r"title=(?P<title>[^,:]+)::(?P<text>[^\r\n]+)$")
TEXT_HEAD = re.compile(r"^(error|warning|advice) (SC-\d+) .*\[(proven|likely|possible)\]$", re.M)
# One line of the list of findings that lack a kernel's code.
TEXT_LIST = re.compile(r"^(\d+) possible findings? about kernels without PTX: .*\n((?:  SC-\d+: .*\n)+)  decide: ", re.M)
# Findings that follow from the one above.
TEXT_BELOW = re.compile(r"^  also:     (\d+) more findings? for the same reason.*\n((?:  SC-\d+:   finding \d+, .*\n)*)(?:  also:     and (\d+) more\n)?", re.M)
# Not all fits.
TEXT_PAGE = re.compile(r"^  shown:    \d+ of (\d+) findings in full; ", re.M)
# Advice of a rule that has many.
TEXT_ALSO = re.compile(r"^  also:     (?:(\d+) more places?, )?", re.M)
ALIKE_LEAST = 3
TEXT_GROUP = re.compile(r"^  (SC-\d+): .*?(?: \((?:(\d+) findings)?.*\))?$", re.M)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def options(paths):
    """The options that write a report of each format to its path."""
    return ["--html=no", "--output=" + paths["text"], *(f"--report={n}:{p}" for n, p in paths.items() if n != "text")]


def findings(report):
    """The findings of a JSON report, of one process or of several."""
    return [f for process in report.get("processes", [report]) for f in process["findings"]]


def rules_of_json(report):
    return [f["rule"] for f in report["findings"]]


def loudness(finding):
    if finding["severity"] == "advice":
        return "note"
    proven = finding["severity"] == "error" and finding["confidence"] == "proven"
    return "error" if proven else "warning"


@functools.lru_cache(maxsize=None)
def own_schema():
    with open(os.path.join(ROOT, "docs", "user", "json-report.schema.json"), encoding="utf-8") as file:
        return json.load(file)


def check_json(text):
    return schema.complaints(json.loads(text), own_schema(), name_all=True)


def in_text(findings):
    """The findings that the text report shows whole, and how many others it lists below such a one."""
    advice = collections.Counter(f["rule"] for f in findings if f["severity"] == "advice")
    whole, others, met = [], 0, set()
    for finding in findings:
        if finding["severity"] == "advice" and advice[finding["rule"]] >= ALIKE_LEAST and finding["rule"] in met:
            others += 1
        else:
            whole.append(finding)
        met.add(finding["rule"])
    return whole, others


def check_text(text, report):
    page = TEXT_PAGE.search(text)
    if page:
        yield from wrong_page(text, int(page[1]), report["findings"])
        return
    heads = TEXT_HEAD.findall(text)
    whole, others = in_text([f for f in report["findings"] if "group" not in f and "cause" not in f])
    if heads != [(f["severity"], f["rule"], f["confidence"]) for f in whole]:
        yield f"has the findings {heads}"
    also = sum(int(more or 1) for more in TEXT_ALSO.findall(TEXT_BELOW.sub("", text)))
    if also != others:
        yield f"lists {also} others, not {others}"
    yield from wrong_below(text, report["findings"])
    yield from wrong_list(text, [f for f in report["findings"] if "group" in f])


TEXT_SHORT = re.compile(r"^  (?:shown|also|library|decide): ", re.M)


def is_short(text):
    """True if a text report counts or lists findings that it does not show in full."""
    return TEXT_SHORT.search(text) is not None


def check_whole_text(text, report):
    """With --text=all each finding stands there in full, once, and nothing is only counted."""
    heads = TEXT_HEAD.findall(text)
    expected = [(f["severity"], f["rule"], f["confidence"]) for f in findings(json.loads(report))]
    if heads != expected:
        yield f"the whole text has {heads}, not {expected}"
    short = re.findall(r"^  (?:shown|also|library): +(?! |for the same reason).*", text, re.M)
    if short:
        yield f"the whole text leaves out: {short}"


def wrong_page(text, count, findings):
    """All are counted, and each rule that does not follow from another is named."""
    missing = {f["rule"] for f in findings if "cause" not in f} - set(re.findall(r"SC-\d+", text))
    if count != len(findings) or (missing and "more rule" not in text):
        yield f"counts {count} findings, not {len(findings)}, and does not name {missing}"


def wrong_below(text, findings):
    """What has a cause is counted below it, and each has a line or is counted there."""
    numbers = {f.get("number") for f in findings}
    below = [f for f in findings if "cause" in f]
    if any(f["cause"] not in numbers or f["cause"] == f["number"] for f in below):
        yield "has a cause that is no other finding"
    lists = TEXT_BELOW.findall(text)
    if sum(int(count) for count, _, _ in lists) != len(below):
        yield f"has {lists} below others, not {len(below)}"
    if any(lines and int(count) != lines.count("\n") + int(more or 0) for count, lines, more in lists):
        yield f"counts other findings than it lists: {lists}"


def wrong_list(text, findings):
    """Findings that lack a kernel's code: one line for each group, and all of them counted."""
    groups = {f["group"]: f["rule"] for f in findings}
    found = TEXT_LIST.search(text)
    lines = TEXT_GROUP.findall(found[2]) if found else []
    if [rule for rule, _ in lines] != list(groups.values()):
        yield f"lists {lines} as groups, not {groups}"
    if (int(found[1]) if found else 0) != len(findings) or sum(int(count or 1) for _, count in lines) != len(findings):
        yield f"counts other findings than {len(findings)} in its list: {found and found[0]}"


def check_gcc(text, report):
    reported = []
    for line in text.splitlines():
        match = GCC_LINE.match(line)
        if not match:
            yield f"no line of a compiler: {line}"
            continue
        rule = GCC_RULE.search(match["text"])
        if rule:
            reported.append((rule[1], match["word"]))
    if reported != [(f["rule"], loudness(f)) for f in report["findings"]]:
        yield f"reports {reported}"


def check_github(text, report):
    reported = []
    for line in text.splitlines():
        match = GITHUB_LINE.match(line)
        if not match:
            yield f"no annotation: {line}"
        elif match["title"].startswith("SC-"):
            reported.append(match["title"].split()[0])
    if reported != rules_of_json(report):
        yield f"reports {reported}"


def check_gitlab(text, report):
    reported, prints = [], set()
    for entry in json.loads(text):
        if sorted(entry) != ["check_name", "description", "fingerprint", "location", "severity"] or not entry["description"]:
            yield f"no entry of GitLab's: {entry}"
            continue
        place = entry["location"]
        if not place["path"] or place["path"].startswith("./") or place["lines"]["begin"] < 1:
            yield f"GitLab refuses the place {place}"
        if entry["fingerprint"] in prints:
            yield f"GitLab drops the second {entry['fingerprint']}"
        prints.add(entry["fingerprint"])
        if entry["check_name"].startswith("SC-"):
            reported.append((entry["check_name"], entry["severity"], entry["fingerprint"]))
    words = {"error": "critical", "warning": "minor", "note": "info"}
    if reported != [(f["rule"], words[loudness(f)], f["fingerprint"]) for f in report["findings"]]:
        yield f"reports {reported}"


def check_pages(rules, results):
    """The rules that results name, themselves or as causes, have their pages, whole and without links; the others have none."""
    named = {name for result in results for name in (result["ruleId"], *result["properties"].get("causes", []))}
    for rule in rules:
        page, shown = rule["fullDescription"].get("markdown", ""), rule["help"]["markdown"]
        if bool(page) != (rule["id"] in named):
            yield f"{rule['id']} has the page {page!r}"
        if page not in shown or page.count("```") % 2 or re.search(r"\]\(\S*\.md|^# ", shown, re.M):
            yield f"{rule['id']} is explained by {shown!r}"


def check_sarif(text, report):
    log = json.loads(text)
    for each in sarif_schema.all_schemas():
        yield from schema.complaints(log, each)
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    results = [r for r in run["results"] if not r["suppressions"] and "baselineState" not in r]
    for result in results:
        if "ruleIndex" in result and rules[result["ruleIndex"]]["id"] != result["ruleId"]:
            yield f"{result['ruleId']} names another rule by its index"
    if all("help" in rule for rule in rules):  # goldens have no rules
        yield from check_pages(rules, run["results"])
    reported = [(r["ruleId"], r["level"], r["partialFingerprints"]["streamcheck/v3"]) for r in results]
    if reported != [(f["rule"], loudness(f), f["fingerprint"]) for f in report["findings"]]:
        yield f"reports {reported}"
    if all(i.get("executionSuccessful") for i in run["invocations"]) != report["complete"]:
        yield "the invocations do not say whether the report is complete"


def check_junit(text, report):
    suites = xml.fromstring(text)
    suite = suites.find("testsuite")
    cases = suite.findall("testcase")
    counted = {"tests": len(cases)}
    for word, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        counted[word] = sum(case.find(element) is not None for case in cases)
    for at in (suites, suite):
        if {word: int(at.get(word)) for word in counted} != counted:
            yield f"counts wrongly, it has {counted}"
    failed = {case.get("name").split()[0] for case in cases if case.find("failure") is not None}
    if failed != {f["rule"] for f in report["findings"] if loudness(f) == "error"}:
        yield f"{sorted(failed)} fail"
    if (counted["errors"] > 0) == report["complete"]:
        yield "the errors do not say whether the report is complete"


def check_perfetto(text, report):
    events = json.loads(text)["traceEvents"]
    lanes, depth, arrows = {}, {}, {}
    order = sorted(range(len(events)), key=lambda i: (events[i]["ts"], i))
    for event in (events[i] for i in order):
        lane = event["pid"], event["tid"]
        lanes.setdefault(lane, set()).add(event["ph"])
        depth[lane] = depth.get(lane, 0) + {"B": 1, "E": -1}.get(event["ph"], 0)
        if depth[lane] < 0:
            yield f"lane {lane}: a slice ends that did not begin, at {event['ts']}"
        if event["ph"] in "sf":
            arrows.setdefault(event["id"], []).append(event["ph"])
    for lane, left in depth.items():
        if left:
            yield f"lane {lane}: {left} slices never end"
    for lane, phases in lanes.items():
        if "B" in phases and "M" not in phases:
            yield f"lane {lane} has no name"
    for number, ends in arrows.items():
        if sorted(ends) != ["f", "s"]:
            yield f"arrow {number} has the ends {ends}"
    marks = [e["args"]["fingerprint"] for e in events if e["ph"] == "i"]
    if marks != [f["fingerprint"] for f in report["findings"]]:
        yield f"marks {marks}"


DRAWING = runpy.run_path(os.path.join(ROOT, "docs", "ci", "drawing.py"))
# A character that Mermaid may take for markup has its number in place of it.
MERMAID = re.compile(r"sequenceDiagram|(participant [ts]\d+ as |Note over t\d+: |t\d+->>s\d+: |[ts]\d+(-->>|--x)[ts]\d+: )([\w .,:()/→=+*–…-]|#\d+;)+"
                     r"|rect rgba\(255, 0, 0, 0\.2\)|end")


def check_drawing(finding, lanes):
    """What docs/ci/drawing.py makes of the drawing: a sequence of Mermaid, with both operations, of lanes that it has."""
    lines = list(DRAWING["drawing"](finding, {lane["id"]: lane["name"] for lane in lanes}))
    used = {name for line in lines for name in re.findall(r"\b[ts]\d+(?=-|:)", line.partition(": ")[0] + ":")}
    has_sides = all(any(node[3] & mark for node in finding["nodes"]) for mark in (1, 2)[:len(finding["accesses"])])
    if any(not MERMAID.fullmatch(line) for line in lines) or used != {line.split()[1] for line in lines if line.startswith("participant")} & used:
        yield f"{finding['fingerprint']}: is drawn as {lines}"
    if has_sides and finding["order"] is not None and len({node[0] for node in finding["nodes"] if node[3] & 3}) > 1 and not any("--x" in line for line in lines):
        yield f"{finding['fingerprint']}: no order is missing in {lines}"


class Data(html.parser.HTMLParser):
    """The data inside an HTML report."""

    def __init__(self, text):
        super().__init__()
        self.is_data, self.text = False, ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.is_data = tag == "script" and ("type", "application/json") in attrs

    def handle_data(self, data):
        self.text += data if self.is_data else ""


def unpacked(process):
    """What a page has of a process, its report and what is beside it, without shared values (reports/html/html_pack.h)."""
    values, done = process.pop("shared"), {}

    def whole(value):
        if isinstance(value, dict):
            return {key: whole(one) for key, one in value.items()}
        if isinstance(value, list):
            return [whole(one) for one in value]
        if not isinstance(value, int) or value >= 0:
            return value
        if value not in done:
            done[value] = whole(values[-1 - value])
        return done[value]

    return whole(process)


def html_data(text):
    data = json.loads(Data(text).text)
    return {**data, "processes": [unpacked(process) for process in data["processes"]]}


def plain(value):
    """Without what depends on the folder in which a report is made: a page has paths below it as they are seen from there."""
    return {key: one for key, one in value.items() if key not in ("findings", "failed_calls", "gaps", "repair")}


def check_html(text, report):
    process = html_data(text)["processes"][0]
    if plain(process["report"]) != plain(report):
        yield "has another report than the JSON report"
    shown, kept = ([(f["fingerprint"], f["confidence"], [(a["mode"], a["op"], a["frames"]) for a in f["accesses"]])
                    for f in one["findings"]] for one in (process["report"], report))
    if shown != kept:
        yield f"has the findings {shown}"
    for finding, drawing in zip(process["report"]["findings"], process["page"]["drawings"]):
        ends = {end for edge in drawing["edges"] for end in edge[:2]}
        if ends - set(range(len(drawing["nodes"]))):
            yield f"{finding['fingerprint']}: an edge ends at no node"
        if drawing["nodes"]:
            yield from check_drawing({**finding, **drawing}, process["page"]["lanes"])


def complaints(texts):
    """What is wrong with the reports of one trace, given as bytes by format."""
    wrong, plain = [], {}
    for name, data in texts.items():
        try:
            plain[name] = data.decode()
        except UnicodeDecodeError as error:
            return [f"{name}: no UTF-8: {error}"]
        control = CONTROL.search(plain[name])
        if control:
            wrong.append(f"{name}: control character {control[0]!r}")
    try:
        report = json.loads(plain["json"])
        wrong += ["json: " + line for line in check_json(plain["json"])]
        for name in FORMATS[1:]:
            check = globals()["check_" + name]
            wrong += [f"{name}: {line}" for line in check(plain[name], report)]
    except (ValueError, xml.ParseError) as error:
        wrong.append(f"does not parse: {error}")
    return wrong


def finish(failed, checked):
    """The exit code; a run in which nothing was checked has not passed."""
    print(f"{checked} checked, {failed} failed")
    if failed or not checked:
        return 1
    return 0


def main():
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
