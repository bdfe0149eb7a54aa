#!/usr/bin/env python3
"""Draws what soak prints: memory of an analysis over the operations of a long run.

Usage: soak 100000000 | soak.py PICTURE.svg

Reads lines of operations, bytes allocated and bytes resident. Prints what the last 90 % of the run
added, and fails if that is more than a hundredth of what was there.
"""
import sys

WIDTH, HEIGHT, LEFT, TOP = 720, 300, 70, 20
MIB = 1 << 20


def rows():
    found = [tuple(int(word) for word in line.split()) for line in sys.stdin if line.strip()]
    if len(found) < 10:
        sys.exit("soak.py: too few lines: did soak end well?")
    return found


def path(points, color):
    way = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{way}" fill="none" stroke="{color}" stroke-width="1.5"/>'


def text(x, y, words, anchor="middle"):
    return (f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" font-family="sans-serif" '
            f'font-size="12">{words}</text>')


def draw(found):
    most_ops = found[-1][0]
    most = max(max(row[1:]) for row in found) * 1.1
    right, bottom = WIDTH - 20, HEIGHT - 50

    def place(ops, size):
        return (LEFT + (right - LEFT) * ops / most_ops, bottom - (bottom - TOP) * size / most)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             path([(LEFT, TOP), (LEFT, bottom), (right, bottom)], "black")]
    for i in range(5):
        x, y = place(most_ops * i / 4, most * i / 4)
        parts.append(text(x, bottom + 18, f"{most_ops * i / 4e6:.0f}"))
        parts.append(text(LEFT - 8, y + 4, f"{most * i / 4 / MIB:.0f}", "end"))
    parts.append(text((LEFT + right) / 2, HEIGHT - 10, "million operations"))
    parts.append(text(LEFT + 8, TOP + 4, "MiB: resident (grey), allocated (blue)", "start"))
    parts.append(path([place(row[0], row[2]) for row in found], "grey"))
    parts.append(path([place(row[0], row[1]) for row in found], "steelblue"))
    return "\n".join(parts + ["</svg>", ""])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = rows()
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(draw(found))
    early = max(row[1] for row in found[:max(1, len(found) // 10)])
    late = max(row[1] for row in found)
    print(f"{found[-1][0]} operations: {early / MIB:.1f} MiB allocated in the first tenth, "
          f"{late / MIB:.1f} MiB at most, {max(row[2] for row in found) / MIB:.1f} MiB resident")
    if late > early * 1.01:
        sys.exit("soak.py: it grows")


main()
