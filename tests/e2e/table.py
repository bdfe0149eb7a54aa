"""Tables of verdicts."""
import collections


def counted(names):
    names = collections.Counter(names)
    cells = [name + (f" x{count}" if count > 1 else "") for name, count in sorted(names.items())]
    return ", ".join(cells) or "clean"


def found(result):
    """The rules of the findings with their causes and counts, in one cell."""
    if result.report is None:
        return "no report"
    return counted("+".join([f["rule"], *f.get("causes", [])]) for f in result.findings)


def expected(wanted):
    """The same of what must be found."""
    return counted("|".join(e.rules) + (f"+{e.cause}" if e.cause else "") for e in wanted)


def meaning(code):
    """An exit code of streamcheck in words."""
    words = {0: "clean", 66: "proven errors", 3: "incomplete: nothing recorded, or records lost",
             124: "did not end in time"}
    return words.get(code, f"the program's own exit code {code}")


def show(head, rows):
    """Prints the rows in columns; the last one is as wide as it likes."""
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head) - 1)]
    print()
    for row in [head, tuple("-" * w for w in widths) + ("-" * len(head[-1]),), *rows]:
        cells = [str(cell).ljust(width) for cell, width in zip(row, widths)]
        print("  ".join([*cells, str(row[-1])]))
