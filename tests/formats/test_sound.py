#!/usr/bin/env python3
"""The checks of the reports find what is wrong: each is given a sound report, then a damaged one."""
import json
import os
import unittest

import schema
import sound

GOLDEN = os.path.join(sound.ROOT, "tests", "golden", "formats")


def golden(name):
    """A golden report; how many cases there are was masked in it, four are left."""
    with open(os.path.join(GOLDEN, "pipe." + name), encoding="utf-8") as file:
        return file.read().replace('tests="#"', 'tests="4"')


class Schema(unittest.TestCase):
    def complaints(self, value, rules):
        validator = schema.Validator(rules)
        validator.check(value)
        return validator.wrong

    def test_keywords(self):
        for value, rules in (
                (1, {"type": "string"}), (True, {"type": "integer"}), ("b", {"enum": ["a"]}),
                ({}, {"required": ["a"]}), ({"a": 1}, {"additionalProperties": False}),
                ([1, 1], {"uniqueItems": True}), ("x", {"pattern": "^y"}), (0, {"minimum": 1}),
                ([], {"minItems": 1}), (1, {"const": 2}), (1, {"not": {"type": "integer"}}),
                (1, {"anyOf": [{"const": 2}, {"const": 3}]}),
                (1, {"oneOf": [{"const": 1}, {"minimum": 0}]}),
                ([1], {"items": {"$ref": "#/definitions/t"}, "definitions": {"t": {"const": 2}}})):
            self.assertTrue(self.complaints(value, rules), rules)

    def test_unknown_keyword(self):
        with self.assertRaises(AttributeError):
            self.complaints(1, {"propertyNames": {}})

    def test_messages_are_short(self):
        value = {f"key{i}": "x" * 100 for i in range(100)}
        wrong = schema.complaints(value, {"type": "string"}) + schema.complaints(value, {"anyOf": [{"type": "string"}, {"required": ["a"]}]})
        self.assertGreaterEqual(len(wrong), 2)
        self.assertLess(max(map(len, wrong)), 400)
        self.assertEqual(schema.short("'a' is a required property"), "'a' is a required property")

    def test_silence(self):
        self.assertEqual(self.complaints({"a": [1]}, {"properties": {"a": {"items": True}}}), [])


class Formats(unittest.TestCase):
    report = json.loads(golden("json"))

    def assert_sees(self, name, old, new):
        check = getattr(sound, "check_" + name)
        self.assertEqual(list(check(golden(name), self.report)), [])
        damaged = golden(name).replace(old, new)
        self.assertNotEqual(damaged, golden(name))
        self.assertTrue(list(check(damaged, self.report)), f"{name}: {old} -> {new}")

    def test_json(self):
        self.assertEqual(sound.check_json(golden("json")), [])
        self.assertTrue(sound.check_json(golden("json").replace('"proven"', '"sure"')))
        self.assertTrue(sound.check_json(golden("json").replace('"doubt"', '"daubt"')))

    def test_gcc(self):
        self.assert_sees("gcc", "error:", "warning:")
        self.assert_sees("gcc", ": note:", " note")

    def test_github(self):
        self.assert_sees("github", "title=SC-106", "title=SC-107")
        self.assert_sees("github", "%0A", "\n")

    def test_junit(self):
        self.assert_sees("junit", "failures=\"1\"", "failures=\"2\"")
        self.assert_sees("junit", "<error ", "<skipped ")

    def test_perfetto(self):
        self.assert_sees("perfetto", '"ph":"s"', '"ph":"f"')
        self.assert_sees("perfetto", '{"ph":"E"', '{"ph":"B"')

    def test_dot(self):
        self.assert_sees("dot", "digraph", "graph")


if __name__ == "__main__":
    unittest.main()
