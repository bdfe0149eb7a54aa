"""Charts of what a long run takes, as SVG: panels above each other with one axis of operations."""

WIDTH, HEIGHT, LEFT, TOP, GAP = 720, 220, 70, 24, 40
MARKS = 4  # on an axis


class Panel:
    """Lines over operations: (name, color, [(operations, value)]); `limit` is drawn dashed."""

    def __init__(self, title, lines, limit=None):
        self.title, self.lines, self.limit = title, lines, limit

    def most(self):
        values = [value for _, _, points in self.lines for _, value in points]
        return max(values + [self.limit or 0]) * 1.1


def path(points, color, style=""):
    way = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{way}" fill="none" stroke="{color}" stroke-width="1.5"{style}/>'


def text(x, y, words, anchor="middle", color="black"):
    return (f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{color}" font-family="sans-serif" '
            f'font-size="12">{words}</text>')


def draw_panel(panel, top, most_operations):
    most, right, bottom = panel.most(), WIDTH - 20, top + HEIGHT - GAP

    def place(operations, value):
        return (LEFT + (right - LEFT) * operations / most_operations, bottom - (bottom - top) * value / most)

    parts = [path([(LEFT, top), (LEFT, bottom), (right, bottom)], "black"),
             text(LEFT + 8, top - 6, panel.title, "start")]
    for i in range(MARKS + 1):
        x, y = place(most_operations * i / MARKS, most * i / MARKS)
        parts.append(text(x, bottom + 18, f"{most_operations * i / MARKS / 1e6:.0f}"))
        parts.append(text(LEFT - 8, y + 4, f"{most * i / MARKS:.0f}", "end"))
    if panel.limit:
        parts.append(path([place(0, panel.limit), place(most_operations, panel.limit)], "firebrick", ' stroke-dasharray="6 4"'))
    for number, (name, color, points) in enumerate(panel.lines):
        parts.append(path([place(*point) for point in points], color))
        parts.append(text(right, top - 6 + 15 * number, name, "end", color))
    return parts


def draw(panels):
    """The picture as text."""
    most = max(x for panel in panels for _, _, points in panel.lines for x, _ in points)
    height = TOP + HEIGHT * len(panels) + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}">',
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>']
    for number, panel in enumerate(panels):
        parts += draw_panel(panel, TOP + HEIGHT * number, most)
    parts.append(text((LEFT + WIDTH - 20) / 2, height - 12, "million operations"))
    return "\n".join(parts + ["</svg>", ""])
