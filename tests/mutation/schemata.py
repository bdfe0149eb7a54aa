"""Schemata: a source with all its mutants in it, one of which a variable chooses at run time.

A mutant is one changed condition: an `if` or a ternary operator negated, && and || exchanged, < and
<=, > and >=, == and != exchanged, one operand of && or || left out. HEAD has what the changed text
calls. Each condition evaluates its operands as often as before, and notes the mutants whose value
differs from the original's, or may differ because an operand was not evaluated.
"""
import collections
import re

TOKEN = re.compile(r"""
    (?P<skip>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:[^\n\\]|\\.)*|\s+)
  | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<word>[A-Za-z_0-9]+)
  | (?P<mark><<=?|>>=?|->|&&|\|\||[<>=!]=|\+\+|--|[-+*/%&|^]=|.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)
EXCHANGED = {"&&": "||", "||": "&&", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=",
             "!=": "=="}
ENDS = {"=", ",", "?", ":", ";", "{", "}", "return", "else", "do",
        *(mark + "=" for mark in ("<<", ">>", *"+-*/%&|^"))}
EQUAL = ENDS | {"&&", "||", "==", "!=", "&", "|", "^"}
# Where the operands of an operator end, on its left and on its right.
OPERANDS = {"||": (ENDS, ENDS | {"||"}), "&&": (ENDS | {"||"}, ENDS | {"||", "&&"}),
            "==": (EQUAL, EQUAL), "!=": (EQUAL, EQUAL),
            **dict.fromkeys(("<", "<=", ">", ">="), (EQUAL | {"<", "<=", ">", ">="},) * 2)}
CONSTANT = {"sc_assert", "_Static_assert"}  # in parentheses after these nothing is changed

HEAD = """
extern unsigned sc_mutant;
extern unsigned char sc_mutants_seen[];
static inline int sc_mutant_negate(unsigned id, int value)
{
	sc_mutants_seen[id] = 1;
	return value != (sc_mutant == id);
}
static inline int sc_mutant_either(unsigned id, int value, int other)
{
	sc_mutants_seen[id] |= value != other;
	return sc_mutant == id ? other : value;
}
static inline int sc_mutant_operand(int is_and, unsigned exchange, unsigned out, int value)
{
	if (value != is_and)
		sc_mutants_seen[exchange] = sc_mutants_seen[out] = 1;
	return value;
}
#line 1
"""

Token = collections.namedtuple("Token", "text start end")
Mutant = collections.namedtuple("Mutant", "id file function kind number line")
# A condition: its text, the texts of its operands, and the ids of its mutants by the kind's first word.
Condition = collections.namedtuple("Condition", "start end operator operands ids")


def tokens_of(source):
    return [Token(m.group(), m.start(), m.end()) for m in TOKEN.finditer(source)
            if m.lastgroup != "skip"]


def partner(tokens, at):
    """The index of the parenthesis that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[i].text, 0)
        if not depth:
            return i
    raise ValueError("parentheses do not match")


def is_address(tokens, i):
    """Whether an & takes an address."""
    before = tokens[i - 1].text
    return tokens[i].text == "&" and (before == "return" or not re.fullmatch(r"\w+|\)|\]", before))


def operand(tokens, at, step, ends):
    """The last index of the operand that begins beside the operator at `at`."""
    depth = 0
    i = at + step
    while 0 <= i < len(tokens):
        text = tokens[i].text
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text, 0) * step
        if depth < 0 or (not depth and text in ends and not is_address(tokens, i)):
            return i - step
        i += step
    raise ValueError("an operand does not end")


def functions_of(tokens):
    """For each token the function that it is in, or None."""
    depth, name, found, constant = 0, None, [], -1
    for i, token in enumerate(tokens):
        if token.text == "{":
            if not depth and tokens[i - 1].text == ")":
                level = 0
                for k in range(i - 1, -1, -1):
                    level += {")": 1, "(": -1}.get(tokens[k].text, 0)
                    if not level:
                        name = tokens[k - 1].text
                        break
            depth += 1
        if token.text in CONSTANT:
            constant = partner(tokens, i + 1)
        found.append(name if depth and i > constant else None)
        if token.text == "}":
            depth -= 1
            name = name if depth else None
    return found


def condition_at(tokens, i):
    """(kinds of its mutants, spans of its operands in tokens) of a condition at token `i`."""
    text = tokens[i].text
    if text == "if":
        return ["negate-if"], [(i + 1, partner(tokens, i + 1))]
    if text == "?":
        return ["negate-?"], [(operand(tokens, i, -1, ENDS), i - 1)]
    if text not in EXCHANGED:
        return [], []
    spans = [(operand(tokens, i, -1, OPERANDS[text][0]), i - 1),
             (i + 1, operand(tokens, i, 1, OPERANDS[text][1]))]
    if text not in ("&&", "||"):
        # The only comparison of an `if` is negated there.
        (first, _), (_, last) = spans
        is_all = tokens[first - 2].text == "if" and tokens[last + 1].text == ")"
        return [] if is_all and text in ("==", "!=") else ["exchange" + text], spans
    # The left operand of all but the first && of several is the right one of the one before.
    before = operand(tokens, i, -1, OPERANDS[text][1]) - 1
    kinds = ["exchange" + text, "right-out" + text]
    return kinds + ["left-out" + text] * (tokens[before].text != text), spans


def conditions_of(name, source, first):
    """(mutants, conditions) of a source; mutants are numbered from `first`."""
    tokens = tokens_of(source)
    numbers, mutants, conditions = collections.Counter(), [], []
    for i, function in enumerate(functions_of(tokens)):
        kinds, spans = condition_at(tokens, i) if function else ([], [])
        ids = {}
        for kind in kinds:
            numbers[function, kind] += 1
            ids[re.match("[a-z]+", kind).group()] = first + len(mutants)
            mutants.append(Mutant(first + len(mutants), name, function, kind,
                                  numbers[function, kind], source.count("\n", 0, tokens[i].start) + 1))
        if kinds:
            spans = [(tokens[a].start, tokens[b].end) for a, b in spans]
            conditions.append(Condition(spans[0][0], spans[-1][1], tokens[i].text, spans, ids))
    # What is around another one comes first; a ternary operator's is around one with the same text.
    conditions.sort(key=lambda c: (c.start, -c.end, c.operator in EXCHANGED))
    return mutants, conditions


def changed(c, operands):
    """The text of a condition with its mutants."""
    left, right = operands[0], operands[-1]
    if c.operator in ("if", "?"):
        return f"(sc_mutant_negate({c.ids['negate']}, !!({left})))"
    if c.operator in ("==", "!="):
        return f"(sc_mutant_negate({c.ids['exchange']}, ({left}) {c.operator} ({right})))"
    if c.operator not in ("&&", "||"):
        return (f"({{ __auto_type sc_left = ({left}) + 0; __auto_type sc_right = ({right}) + 0; "
                f"sc_mutant_either({c.ids['exchange']}, sc_left {c.operator} sc_right, "
                f"sc_left {EXCHANGED[c.operator]} sc_right); }})")
    neutral = int(c.operator == "&&")
    sides = []
    for kind, text in (("left", left), ("right", right)):
        out = c.ids.get(kind, 0)
        side = f"sc_mutant_operand({neutral}, {c.ids['exchange']}, {out}, !!({text}))"
        sides.append(f"(sc_mutant == {out} ? {neutral} : {side})" if out else side)
    return (f"({{ int sc_left = {sides[0]}; (sc_left == {neutral}) != "
            f"(sc_mutant == {c.ids['exchange']}) ? {sides[1]} : sc_left; }})")


def schema(source, conditions, start=0, end=None):
    """The text from `start` to `end`, of which `conditions` are a part, with all mutants."""
    end = len(source) if end is None else end
    out = []
    for i, c in enumerate(conditions):
        if c.start < start or c.end > end:
            continue
        inner = conditions[i + 1:]
        out += [source[start:c.start], changed(c, [schema(source, inner, *s) for s in c.operands])]
        start = c.end
    return "".join([*out, source[start:end]])
