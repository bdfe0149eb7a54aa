"""What must be found in a test case: its head comment, described in testcases/common.h."""
import glob
import os
import re
import signal

FOLDERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "testcases")
LINE = re.compile(r"^// (expect|exit|nvcc|options|env)(?:\[([A-Z_]+)\])?: *(.*)$")
RULES = re.compile(r"^SC-\d{3}(\|SC-\d{3})*$")
OF_TIME = {"SC-316"}  # advice about what took long: on a busy machine any host function may
PARTS = (os.path.join("ranks", "kernels.cu"), os.path.join("nixl", "all.cu"))  # of programs, none by themselves


def paths():
    """The test cases, by folder and name."""
    every = glob.glob(os.path.join(FOLDERS, "**", "*.cu"), recursive=True)
    return sorted(set(every) - {os.path.join(FOLDERS, part) for part in PARTS})


def folder_of(path):
    """The folder of testcases/ that a test case is in, or in a room of."""
    return os.path.relpath(path, FOLDERS).split(os.sep)[0]


class BadComment(Exception):
    """The head comment of a test case cannot be read."""


class Expected:
    """One finding that must be there: rules (one of), cause, orders (one of), place, where its memory was allocated, its
    repair, confidences (one of), doubt, and whether it takes a device that executes kernels (when=executed) or one that does not say what they do
    (when=unexecuted)."""

    def __init__(self, text, source):
        self.text = text
        self.cause = self.place = self.allocated = self.fix = self.doubt = self.when = None
        self.confidences = self.orders = ()
        words = text.split()
        if not words or not RULES.match(words[0]):
            raise BadComment(f"{source.path}: not a rule: {text!r}")
        self.rules = words[0].split("|")
        for word in words[1:]:
            self._read_word(word, source)
        if not self.confidences:
            raise BadComment(f"{source.path}: neither proven, likely nor possible: {text!r}")
        if bool({"possible", "likely"} & set(self.confidences)) != bool(self.doubt):
            raise BadComment(f"{source.path}: what is possible or likely has a doubt, what is proven has none: {text!r}")

    def _read_word(self, word, source):
        key, _, value = word.partition("=")
        if key == "cause":
            self.cause = value
        elif key == "doubt":
            self.doubt = value
        elif key == "when" and value in ("executed", "unexecuted"):
            self.when = value
        elif key == "order":
            self.orders = value.split("|")
        elif key == "at":
            self.place = source.statement(value)
        elif key == "allocated":
            self.allocated = source.statement(value)
        elif key == "fix":
            self.fix = value
        elif set(word.split("|")) <= {"proven", "likely", "possible"}:
            self.confidences = word.split("|")
        else:
            raise BadComment(f"{source.path}: not understood: {word!r}")

    def applies(self, is_executed):
        """Whether it must be there in a run whose kernels were executed by the simulated device, or not."""
        return not self.when or (self.when == "executed") == is_executed

    def mismatch(self, finding, source):
        """Why the finding is not this one, or None."""
        if finding["rule"] not in self.rules and self.cause not in self.rules:
            return "another rule"
        if self.cause and self.cause not in finding.get("causes", []):
            return f"causes are {finding.get('causes')}"
        if self.confidences and finding["confidence"] not in self.confidences:
            return f"it is {finding['confidence']}"
        if finding["confidence"] != "proven" and finding["doubt_id"] != self.doubt:
            return f"its doubt is {finding['doubt_id']}"
        if self.orders and finding.get("order_id") not in self.orders:
            return f"its order is {finding.get('order_id')}"
        if finding["confidence"] == "proven" and finding.get("order_id") and not self.cause and not self.orders:
            return f"the line does not say why nothing orders the two: cause= or order={finding['order_id']}"
        if self.place and not source.is_at(finding, self.place):
            return f"no side of it is at line {self.place[1]}"
        return self._mismatch_of_rest(finding, source)

    def _mismatch_of_rest(self, finding, source):
        if self.allocated and not source.has_frame(finding["allocation"] or {"frames": []}, self.allocated):
            return f"its memory was not allocated at line {self.allocated[1]}"
        if self.fix and finding["fix_id"] != self.fix:
            return f"its repair is {finding['fix_id']}"
        return None


class Source:
    """A test case: its lines, and per variant ("" = the plain build) what it must show."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().splitlines()
        self.about = ""
        self.expected = {}
        self.exits = {}
        self.options = []
        self.env = {}
        self._read_head()

    def _read_head(self):
        for line in self.lines:
            if not line.startswith("//"):
                break
            match = LINE.match(line)
            if match:
                self._read_line(match.group(1), match.group(2) or "", match.group(3).strip())
            else:
                self.about = f"{self.about} {line[2:].strip()}".strip()
        if re.search(r"\b(expect|exit|nvcc|options|env)(\[|:)", self.about):
            raise BadComment(f"{self.path}: an expectation is not at the start of its line")
        if "" not in self.expected:
            raise BadComment(f"{self.path}: the head comment expects nothing")

    def _read_line(self, key, variant, value):
        if key == "expect":
            findings = self.expected.setdefault(variant, [])
            if value != "clean":
                findings.append(Expected(value, self))
        elif key == "options":
            self.options += value.split()
        elif key == "env":
            self.env.update(word.split("=", 1) for word in value.split())
        elif key == "exit":
            self.exits[variant] = [-signal.Signals[word].value if word[0] == "S" else int(word)
                                   for word in value.split("|")]

    def statement(self, marker):
        """First and last line of the statement that ends with the comment @marker."""
        ends = [i for i, line in enumerate(self.lines) if re.search(rf"// @{marker}$", line)]
        if len(ends) != 1:
            raise BadComment(f"{self.path}: @{marker} occurs {len(ends)} times")
        first = ends[0]
        while first and not re.search(r"([;{}]|// @\w+|^#.*|^\s*)$", self.lines[first - 1]):
            first -= 1
        return first + 1, ends[0] + 1

    def is_at(self, finding, place):
        """Whether one side of the finding has a frame in these lines of this file."""
        return any(self.has_frame(access, place) for access in finding["accesses"])

    def has_frame(self, holder, place):
        """Whether it has a frame in these lines of this file."""
        return any(os.path.basename(frame.get("file") or "") == self.name and place[0] <= frame["line"] <= place[1]
                   for frame in holder["frames"])

    def exit_codes(self, variant):
        """How the program itself may end: 0, a number, or minus a signal."""
        return self.exits.get(variant, [0])

    def compare(self, variant, findings, is_executed=False, unseen=()):
        """Differences between what was found and what must be, as sentences; findings whose doubt is among `unseen`
        may be there or not."""
        findings = [f for f in findings if f["confidence"] == "proven" or f["doubt_id"] not in unseen]
        expected = [want for want in self.expected[variant] if want.applies(is_executed) and want.doubt not in unseen]
        reasons = [[want.mismatch(finding, self) for finding in findings] for want in expected]
        partner = pair(reasons, len(findings))
        wrong = []
        for want, row in zip(expected, reasons):
            if want in [expected[i] for i in partner.values()]:
                continue
            near = [f"{f['rule']}: {r or 'expected once'}" for f, r in zip(findings, row)
                    if r != "another rule"]
            wrong.append(f"missing: {want.text}" + (f" ({'; '.join(near)})" if near else ""))
        for number, finding in enumerate(findings):
            if number not in partner and finding["rule"] not in OF_TIME:
                wrong.append("unexpected: " + describe(finding))
        return wrong


def pair(reasons, count):
    """Pairs each finding with one expectation that it satisfies: {finding: expectation}."""
    partner = {}

    def place_one(want, tried):
        for number in range(count):
            if reasons[want][number] is not None or number in tried:
                continue
            tried.add(number)
            if number not in partner or place_one(partner[number], tried):
                partner[number] = want
                return True
        return False

    for want in range(len(reasons)):
        place_one(want, set())
    return partner


def place(frame):
    """Where a frame is, as well as it is known."""
    if frame.get("file"):
        return f"{os.path.basename(frame['file'])}:{frame['line']}"
    return frame["function"] or os.path.basename(frame.get("module") or "?")


def describe(finding):
    """A finding in one line."""
    places = []
    for access in finding["accesses"]:
        where = next((place(f) for f in access["frames"] if not f.get("internal")), "?")
        places.append(f"{access['mode']} at {where}")
    causes = "+".join(finding.get("causes", []))
    return (f"{finding['rule']}{' because of ' + causes if causes else ''} "
            f"{finding['severity']} {finding['confidence']}: {', '.join(places)}")


def split_name(program):
    """Stem of the source and variant of a built program, as program_name() makes it."""
    stem, _, suffix = os.path.basename(program).partition("-")
    return stem, suffix.upper()


def source_of(program):
    """The test case that a program was built from."""
    stem, _ = split_name(program)
    return Source(*glob.glob(os.path.join(FOLDERS, "**", stem + ".cu"), recursive=True))


def program_name(path, variant):
    """Name of the program that is built from a source for a variant."""
    stem = os.path.splitext(os.path.basename(path))[0]
    return f"{stem}-{variant.lower()}" if variant else stem

def program_of(finding, names):
    """The program, of these files, that a finding is in."""
    for access in finding["accesses"]:
        for frame in access["frames"]:
            name = os.path.basename(frame.get("file") or "")
            if name in names:
                return name
    return None


def compare_programs(sources, variant, findings):
    """What is wrong with the findings of a run of many programs: {file name: Source}, as sentences."""
    by_program = {name: [] for name in sources}
    wrong = []
    for finding in findings:
        place = program_of(finding, sources)
        if place in by_program:
            by_program[place].append(finding)
        else:
            wrong.append("unexpected: " + describe(finding))
    for name, source in sources.items():
        wrong += [f"{name}: {line}" for line in source.compare(variant, by_program[name], True)]
    return wrong
