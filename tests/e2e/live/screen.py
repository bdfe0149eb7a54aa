"""A terminal's screen, as far as the status row and `streamcheck top` use one: a sequence that it does not know is an error."""
import re

SEQUENCE = re.compile(r"\x1b(?:\[(\??)([\d;]*)([A-Za-z])|([78DM]))")


class Screen:
    """Rows of characters, a cursor, a scrolling region."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.text = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.saved = (0, 0)
        self.top, self.bottom = 0, rows - 1
        self.modes = set()
        self.rest = ""
        self.history = []  # rows that have scrolled away
        self.seen = []  # what the last row showed

    def feed(self, data):
        """Takes text; a sequence that is cut off waits for its rest."""
        text, at = self.rest + data, 0
        self.rest = ""
        while at < len(text):
            if text[at] != "\x1b":
                self.put(text[at])
                at += 1
                continue
            match = SEQUENCE.match(text, at)
            if match:
                self.command(match)
                at = match.end()
            elif len(text) - at < 16 and re.fullmatch(r"\x1b(\[\??[\d;]*)?", text[at:]):
                self.rest = text[at:]
                return
            else:
                raise AssertionError(f"a sequence that no terminal of the test knows: {text[at:at + 16]!r}")

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.down()
        elif character < " ":
            raise AssertionError(f"a control character: {character!r}")
        else:
            if self.column == self.columns:
                self.column = 0
                self.down()
            self.text[self.row][self.column] = character
            self.column += 1

    def down(self):
        if self.row == self.bottom:
            self.history.append(self.line(self.top))
            del self.text[self.top]
            self.text.insert(self.bottom, [" "] * self.columns)
        elif self.row < self.rows - 1:
            self.row += 1

    def command(self, match):
        private, numbers, letter, single = match.groups()
        numbers = [int(n) for n in (numbers or "").split(";") if n]
        if single == "7":
            self.saved = (self.row, self.column)
        elif single == "8":
            self.row, self.column = self.saved
        elif single == "D":
            self.down()
        elif single == "M":
            self.row -= self.row > 0
        elif private:
            (self.modes.add if letter == "h" else self.modes.discard)(numbers[0])
        elif letter == "r":
            self.top, self.bottom = (numbers[0] - 1, numbers[1] - 1) if numbers else (0, self.rows - 1)
            self.row = self.column = 0
        elif letter == "H":
            row, column = (numbers + [1, 1])[:2] if numbers else (1, 1)
            self.row, self.column = min(row, self.rows) - 1, min(column, self.columns) - 1
        elif letter == "K":
            start = 0 if numbers == [2] else self.column
            self.note()
            self.text[self.row][start:] = [" "] * (self.columns - start)
        elif letter == "J":
            for row in range(self.row, self.rows):
                start = self.column if row == self.row else 0
                self.text[row][start:] = [" "] * (self.columns - start)
        elif letter != "m":
            raise AssertionError(f"a sequence that no terminal of the test knows: {match[0]!r}")

    def note(self):
        if self.row == self.rows - 1 and self.line(self.row):
            self.seen.append(self.line(self.row))

    def line(self, row):
        return "".join(self.text[row]).rstrip()

    def lines(self):
        """Everything that a reader sees, scrolled away or not."""
        return self.history + [self.line(row) for row in range(self.rows)]
