#!/usr/bin/env python3
"""Prints the drawings of an HTML report as Mermaid, for what shows Markdown but no SVG: GitHub's job summaries, notes of GitLab. usage: drawing.py FILE [MOST]

A lane for each host thread and stream, time goes down, and an arrow with a cross for the order that is missing. The page's own drawing (SVG) has more: colors,
and which operations come after the first or before the second.
"""
import json
import re
import sys

FIRST, SECOND = 1, 2  # marks of a node
STREAM, EVENT, WAIT = range(3)  # kinds of edges; within a stream its lane shows the order
PLACE = 40  # characters of a name of a file
LOUDNESS = ("possible", "likely", "proven"), ("advice", "warning", "error")


def unpacker(shared):
    """Numbers below zero stand for values that are shared, counted from 1."""
    def whole(value):
        if isinstance(value, dict):
            return {key: whole(one) for key, one in value.items()}
        if isinstance(value, list):
            return [whole(one) for one in value]
        return whole(shared[-1 - value]) if isinstance(value, int) and value < 0 else value

    return whole


def findings(path):
    """Each finding once, the loudest first, with its drawing and the names of lanes."""
    with open(path, encoding="utf-8") as file:
        data = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', file.read(), re.S)
    once = {}
    for process in json.loads(data[1])["processes"]:
        whole = unpacker(process["shared"])
        names = {lane["id"]: lane["name"] for lane in whole(process["page"]["lanes"])}
        for finding, drawing in zip(whole(process["report"]["findings"]), whole(process["page"]["drawings"])):
            if drawing["nodes"] and finding["severity"] != "advice" and "cause" not in finding:
                once.setdefault(finding["fingerprint"], ({**finding, **drawing}, names))
    return sorted(once.values(), key=lambda pair: [-words.index(pair[0][key]) for words, key in zip(LOUDNESS, ("confidence", "severity"))])


def plain(text):
    """What Mermaid takes for no markup of its own or of HTML: other characters by their numbers."""
    return re.sub(r"[^\w .,:()/→=+*–…-]", lambda match: f"#{ord(match[0])};", text)


def lane(node):
    return f"s{node[2]}" if node[2] else f"t{node[1]}"


def step(node):
    """What was done, in a lane: an arrow from the thread that called to the stream, or a note."""
    thread, marks, place = f"t{node[1]}", node[3], node[5] or ""
    phrase = re.sub(r"(, | of )?(the default stream|stream \d+).*$", "", node[4])
    phrase = re.sub(r"^kernel (.*?)\(.*$", r"kernel \1", phrase)
    role = "first: " if marks & FIRST else "then: " if marks & SECOND else ""
    if len(place) > PLACE:
        place = "…" + place[1 - PLACE:]
    text = plain(f"{role}{phrase}, {place}" if place else role + phrase)
    return f"{thread}->>{lane(node)}: {text}" if node[2] else f"Note over {thread}: {text}"


def drawing(finding, names):
    nodes = finding["nodes"]
    threads, streams = sorted({node[1] for node in nodes}), sorted({node[2] for node in nodes} - {0})
    yield "sequenceDiagram"
    for thread in threads:
        yield f"participant t{thread} as " + (f"host thread {thread}" if thread else "host")
    for stream in streams:
        yield f"participant s{stream} as " + plain(names.get(stream, f"stream {stream}"))
    for index, node in enumerate(nodes):
        yield step(node)
        for begin, end, kind in finding["edges"]:
            if end == index and kind != STREAM and lane(nodes[begin]) != lane(node):
                yield f"{lane(nodes[begin])}-->>{lane(node)}: " + ("by the event" if kind == EVENT else "waited for")
    sides = [next((node for node in nodes if node[3] & mark), None) for mark in (FIRST, SECOND)]
    if all(sides) and sides[0] is not sides[1] and finding["order"] is not None:
        yield from ("rect rgba(255, 0, 0, 0.2)", f"{lane(sides[0])}--x{lane(sides[1])}: nothing orders the two", "end")


def told(text):
    """A line of Markdown without markup."""
    return re.sub(r"([\\`*_<>\[\]|#~$&])", r"\\\1", " ".join(text.split()))


def main():
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    for finding, names in findings(sys.argv[1])[:most]:
        print(f"\n#### {finding['severity']} {finding['rule']} {told(finding['summary'])} ({finding['confidence']})\n\n```mermaid")
        print(*drawing(finding, names), "```\n", sep="\n")
        for key in ("order", "fix"):
            if finding[key]:
                print(f"* {key}: {told(finding[key])}")


if __name__ == "__main__":
    main()
