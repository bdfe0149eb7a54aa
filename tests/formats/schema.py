"""A small validator for JSON Schema: what the schemas of the report formats use, and no more.

A keyword that it does not know is an error, so that no part of a schema is passed over in silence.
Most of a report was in another one before (rules, sources, coverage): an object that fitted what a
reference of the schema names is remembered, and not checked against it again.
"""
import hashlib
import json
import re

TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
}
SILENT = {"$schema", "$id", "id", "title", "description", "default", "format", "definitions",
          "$defs", "$comment", "examples", "contentEncoding", "readOnly"}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def short(message, most=240):
    """A message that quotes a whole value keeps its beginning, and its end, which says what is wrong."""
    return message if len(message) <= most else f"{message[:most // 3]} … {message[-most // 2:]}"


class Fitting:
    """Which objects and arrays fitted which references of one schema, by digests of their texts."""

    def __init__(self):
        self.known = set()

    @staticmethod
    def key(reference, value):
        """None for a value that is as quickly checked as found."""
        if not isinstance(value, (dict, list)):
            return None
        return reference, hashlib.blake2b(json.dumps(value).encode(), digest_size=16).digest()


class Validator:
    """Collects complaints about a value as "path: sentence"."""

    def __init__(self, schema, fitting=None):
        self.schema = schema
        self.fitting = fitting or Fitting()
        self.wrong = []
        self.unnamed = set()  # keys that the schema does not name
        self.path = []

    def complain(self, sentence):
        self.wrong.append("/".join(map(str, self.path)) + ": " + short(sentence))

    def resolve(self, reference):
        if not reference.startswith("#"):
            raise ValueError(f"reference into another file: {reference}")
        at = self.schema
        for part in reference[1:].split("/")[1:]:
            at = at[part.replace("~1", "/").replace("~0", "~")]
        return at

    def holds(self, value, schema):
        """True if the value fits; what does not fit is forgotten."""
        before, unnamed = len(self.wrong), set(self.unnamed)
        self.check(value, schema)
        is_fit = len(self.wrong) == before
        del self.wrong[before:]
        self.unnamed = self.unnamed if is_fit else unnamed
        return is_fit

    def check(self, value, schema=None):
        schema = self.schema if schema is None else schema
        if schema is True:
            return
        if schema is False:
            self.complain("must not be there")
            return
        for keyword, argument in schema.items():
            if keyword not in SILENT:
                getattr(self, "is_" + keyword.replace("$", ""))(value, argument, schema)

    def is_ref(self, value, reference, _):
        key = self.fitting.key(reference, value)
        if key in self.fitting.known:
            return
        wrong, unnamed, self.unnamed = len(self.wrong), self.unnamed, set()
        self.check(value, self.resolve(reference))
        if key and len(self.wrong) == wrong and not self.unnamed:
            self.fitting.known.add(key)
        self.unnamed |= unnamed

    def is_type(self, value, names, _):
        names = names if isinstance(names, list) else [names]
        if not any(is_type(value, name) for name in names):
            self.complain(f"{value!r} is no {' or '.join(names)}")

    def is_const(self, value, constant, _):
        if value != constant:
            self.complain(f"{value!r} is not {constant!r}")

    def is_enum(self, value, allowed, _):
        if value not in allowed:
            self.complain(f"{value!r} is none of {allowed}")

    def is_pattern(self, value, pattern, _):
        if isinstance(value, str) and not re.search(pattern, value):
            self.complain(f"{value!r} does not match {pattern}")

    def is_minLength(self, value, least, _):
        if isinstance(value, str) and len(value) < least:
            self.complain("the text is too short")

    def is_minimum(self, value, least, _):
        if is_type(value, "number") and value < least:
            self.complain(f"{value} is below {least}")

    def is_maximum(self, value, most, _):
        if is_type(value, "number") and value > most:
            self.complain(f"{value} is above {most}")

    def is_minItems(self, value, least, _):
        if isinstance(value, list) and len(value) < least:
            self.complain(f"fewer than {least} items")

    def is_maxItems(self, value, most, _):
        if isinstance(value, list) and len(value) > most:
            self.complain(f"more than {most} items")

    def is_minProperties(self, value, least, _):
        if isinstance(value, dict) and len(value) < least:
            self.complain(f"fewer than {least} members")

    def is_uniqueItems(self, value, is_wanted, _):
        if is_wanted and isinstance(value, list):
            texts = [json.dumps(item, sort_keys=True) for item in value]
            if len(set(texts)) < len(texts):
                self.complain("two items are equal")

    def is_required(self, value, keys, _):
        for key in keys if isinstance(value, dict) else ():
            if key not in value:
                self.complain(f"{key} is missing")

    def is_items(self, value, schema, _):
        for index, item in enumerate(value if isinstance(value, list) else ()):
            self.path.append(index)
            self.check(item, schema)
            self.path.pop()

    def is_properties(self, value, schemas, schema):
        for key in value if isinstance(value, dict) else ():
            if key in schemas:
                self.path.append(key)
                self.check(value[key], schemas[key])
                self.path.pop()
            elif "additionalProperties" not in schema:
                self.unnamed.add(key)

    def is_additionalProperties(self, value, rest, schema):
        for key in value if isinstance(value, dict) else ():
            if key not in schema.get("properties", ()):
                self.path.append(key)
                self.check(value[key], rest)
                self.path.pop()

    def is_dependencies(self, value, needs, _):
        for key, needed in needs.items():
            if key in value:
                self.is_required(value, needed, None)

    def is_anyOf(self, value, schemas, _):
        if not any(self.holds(value, schema) for schema in schemas):
            self.complain("fits no branch of anyOf")

    def is_oneOf(self, value, schemas, _):
        if sum(self.holds(value, schema) for schema in schemas) != 1:
            self.complain("does not fit exactly one branch of oneOf")

    def is_allOf(self, value, schemas, _):
        for schema in schemas:
            self.check(value, schema)

    def is_not(self, value, schema, _):
        if self.holds(value, schema):
            self.complain("fits what it must not fit")

    def is_if(self, value, condition, schema):
        self.check(value, schema.get("then" if self.holds(value, condition) else "else", True))

    def is_then(self, *_):
        """Belongs to is_if."""

    def is_else(self, *_):
        """Belongs to is_if."""


class Schema:
    """A schema with what is remembered of it: objects that fitted, and the checker of another package."""

    loaded = {}  # by identity, which stays theirs as long as they are here

    def __init__(self, schema):
        self.schema = schema
        self.fitting = Fitting()
        self.second = second_checker(schema)

    @classmethod
    def of(cls, schema):
        if id(schema) not in cls.loaded:
            cls.loaded[id(schema)] = cls(schema)
        return cls.loaded[id(schema)]


def complaints(value, schema, name_all=False):
    """What is wrong with a value; with name_all also keys that the schema does not name."""
    known = Schema.of(schema)
    validator = Validator(schema, known.fitting)
    validator.check(value)
    wrong = validator.wrong
    if name_all:
        wrong += [f"{key}: not in the schema" for key in sorted(validator.unnamed)]
    return wrong + second_opinion(value, known)


def second_checker(schema):
    """The checker of the jsonschema package, where it is installed."""
    try:
        import jsonschema
    except ImportError:
        return None
    usual = jsonschema.validators.validator_for(schema)
    fitting = Fitting()

    def follow(validator, reference, value, at):
        key = fitting.key(reference, value)
        if key in fitting.known:
            return
        errors = list(usual.VALIDATORS["$ref"](validator, reference, value, at))
        if key and not errors:
            fitting.known.add(key)
        yield from errors

    return jsonschema.validators.extend(usual, {"$ref": follow})(schema)


def second_opinion(value, known):
    """The same by the jsonschema package."""
    return [f"{'/'.join(map(str, e.absolute_path))}: {short(e.message)} (jsonschema)"
            for e in (known.second.iter_errors(value) if known.second else ())]
