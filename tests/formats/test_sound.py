#!/usr/bin/env python3
"""The checks of the reports find what is wrong: each is given a sound report, then a damaged one."""
import json
import os
import re
import unittest

import sarif_schema
import schema
import sound

GOLDEN = os.path.join(sound.ROOT, "tests", "golden", "formats")


def golden(name):
    """A golden report; how many cases there are was masked in it, four are left."""
    with open(os.path.join(GOLDEN, "pipe." + name), encoding="utf-8") as file:
        return file.read().replace('tests="#"', 'tests="4"')


REPORT = {"complete": True,
          "findings": [{"fingerprint": "f1", "confidence": "proven", "accesses": [{"mode": "read", "op": "copy", "frames": [{"line": 7}]}]}]}


def html(**damage):
    """A page with the one finding of REPORT, or with another value of one of its members, or of the drawing."""
    drawing = {"nodes": [[0, 1, 0, 1, "host writes", None], [1, 1, 2, 2, "kernel k(int*), stream 2", "a.cu:2"]], "edges": [[0, 1, 1]]}
    report = {"complete": damage.pop("complete", True),
              "findings": [{"fingerprint": "f1", "confidence": "proven", "order": "no call", "accesses": [{"mode": "read", "op": "copy", "frames": -2}],
                            **{key: value for key, value in damage.items() if key not in drawing}}]}
    drawing.update({key: value for key, value in damage.items() if key in drawing})
    process = {"shared": [{"line": 7}, [-1]], "report": report, "page": {"drawings": [drawing], "lanes": []}}
    return f'<p>x</p><script type="application/json">{json.dumps({"processes": [process]})}</script><script>1</script>'


class List(unittest.TestCase):
    """The list of findings that lack a kernel's code."""
    TEXT = ("3 possible findings about kernels without PTX: each gets a pointer\n  SC-209:   add(float*) at a.py:1 and mul(float*) at "
            "a.py:2 (2 findings, seen 9 times)\n  SC-106:   copy at a.py:1 and mul(float*) at a.py:2\n  decide:   streamcheck verify\n")
    FINDINGS = [{"rule": "SC-209", "group": 1}, {"rule": "SC-106", "group": 2}, {"rule": "SC-209", "group": 1}]

    def test_sound(self):
        self.assertEqual(list(sound.wrong_list(self.TEXT, self.FINDINGS)), [])
        self.assertEqual(list(sound.wrong_list("", [])), [])

    def test_what_is_dropped_or_added(self):
        for text, findings in ((self.TEXT, self.FINDINGS[:2]), (self.TEXT, []), ("", self.FINDINGS),
                               (self.TEXT.replace("2 findings", "3 findings"), self.FINDINGS),
                               (self.TEXT.replace("  SC-106", "  SC-105"), self.FINDINGS)):
            self.assertTrue(list(sound.wrong_list(text, findings)), text)


class Advice(unittest.TestCase):
    """Advice of a rule that has many: one is whole, the others are lines."""
    REPORT = {"findings": [{"severity": "advice", "rule": "SC-301", "confidence": "proven"}] * 4}
    HEAD = "advice SC-301 slug: summary [proven]\n"
    TEXT = HEAD + "  also:     copy at a.py:1\n  also:     2 more places, listed\n"

    def test_sound(self):
        self.assertEqual(list(sound.check_text(self.TEXT, self.REPORT)), [])
        two = {"findings": self.REPORT["findings"][:2]}
        self.assertEqual(list(sound.check_text(2 * self.HEAD, two)), [])

    def test_what_is_dropped_or_added(self):
        for text in (4 * self.HEAD, self.HEAD, self.TEXT.replace("2 more", "1 more"), self.TEXT + "  also:     copy at b.py:1\n"):
            self.assertTrue(list(sound.check_text(text, self.REPORT)), text)


class Below(unittest.TestCase):
    """What follows from another finding is listed and counted below it; of many there is a page."""
    REPORT = {"findings": [{"severity": "error", "rule": "SC-101", "confidence": "proven", "number": 1},
                           *({"severity": "error", "rule": "SC-103", "confidence": "proven", "number": n, "cause": 1} for n in (2, 3))]}
    HEAD = "error SC-101 slug: summary [proven]\n"
    LINE = "  SC-103:   finding {}, copy at a.cu:1 and host writes at a.cu:2\n"
    TEXT = HEAD + "  also:     2 more findings for the same reason, which the same fix ends:\n" + LINE.format(2) + LINE.format(3)
    PAGE = HEAD + "\n  shown:    1 of 3 findings in full; --text=all\n"

    def test_sound(self):
        short = self.TEXT.replace(self.LINE.format(3), "  also:     and 1 more\n")
        for text in (self.TEXT, short, self.PAGE):
            self.assertEqual(list(sound.check_text(text, self.REPORT)), [], text)

    def test_what_is_dropped_or_added(self):
        for text in (self.HEAD, self.TEXT.replace("2 more", "1 more"), self.TEXT.replace(self.LINE.format(3), ""),
                     self.TEXT + self.HEAD.replace("101", "103"), self.PAGE.replace("of 3", "of 2"), self.PAGE.replace("101", "102")):
            self.assertTrue(list(sound.check_text(text, self.REPORT)), text)
        lost = {"findings": self.REPORT["findings"][1:]}
        self.assertTrue(list(sound.check_text(self.TEXT, lost)))


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

    def test_what_fitted_once_hides_nothing(self):
        rules = {"items": {"$ref": "#/definitions/t"}, "definitions": {"t": {"properties": {"a": {"type": "integer"}}}}}
        for value in ([{"a": 1}], [{"a": 1}, {"a": 2}]):
            self.assertEqual(schema.complaints(value, rules, name_all=True), [])
        for value in ([{"a": "1"}], [{"a": 1}, {"a": True}], [{"a": 1, "b": 1}]):
            for _ in range(2):
                self.assertTrue(schema.complaints(value, rules, name_all=True), value)

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

    def test_text(self):
        text = "".join(f"{f['severity']} {f['rule']} slug: summary [{f['confidence']}]\n" for f in self.report["findings"])
        self.assertEqual(list(sound.check_text(text, self.report)), [])
        for damaged in (text.replace("proven", "possible"), text.replace("error", "warning"), text + text, ""):
            self.assertTrue(list(sound.check_text(damaged, self.report)), damaged)

    def test_html(self):
        self.assertEqual(list(sound.check_html(html(), REPORT)), [])
        for damage in ({"fingerprint": "f2"}, {"confidence": "likely"}, {"edges": [[0, 2, 1]]}, {"accesses": []}, {"complete": False}):
            self.assertTrue(list(sound.check_html(html(**damage), REPORT)), damage)
        for old, new in (('"line": 7', '"line": 8'), ("[-1]", "[-1, -1]")):
            self.assertTrue(list(sound.check_html(html().replace(old, new), REPORT)), new)

    def test_gcc(self):
        self.assert_sees("gcc", "error:", "warning:")
        self.assert_sees("gcc", ": note:", " note")

    def test_github(self):
        self.assert_sees("github", "title=SC-106", "title=SC-107")
        self.assert_sees("github", "%0A", "\n")

    def test_junit(self):
        self.assert_sees("junit", "failures=\"1\"", "failures=\"2\"")
        self.assert_sees("junit", "<error ", "<skipped ")

    def test_sarif(self):
        """In the golden the rules and their numbers are left out."""
        text, rules = golden("sarif"), re.findall(r'"ruleId": "(SC-\d+)"', golden("sarif"))
        for index in range(len(rules)):
            text = text.replace('"ruleIndex": #', f'"ruleIndex": {index}', 1)
        text = re.sub(r",\s*\}", ', "rules": ' + json.dumps([{"id": rule} for rule in rules]) + "}", text, count=1)
        self.assertEqual(list(sound.check_sarif(text, self.report)), [])
        for old, new in (('"ruleId": "SC-106"', '"ruleId": "SC-107"'), ('"startLine": 41', '"startLine": 0'), ('"executionSuccessful": false,', ""),
                         ('"level": "note"', '"level": "advice"'), ('"exitCode": 3', '"exitcode": 3'), ('"uri": "stage%251.cu"', '"uri": "stage 1.cu"'),
                         ('"version": "2.1.0"', '"version": "2.1"'), ('"occurrenceCount": 5', '"occurrenceCount": "5"'),
                         ('"confidence": "possible"', '"confidence": "maybe"')):
            damaged = text.replace(old, new)
            self.assertNotEqual(damaged, text, old)
            self.assertTrue(list(sound.check_sarif(damaged, self.report)), f"{old} -> {new}")

    @unittest.skipUnless(sarif_schema.official(), "STREAMCHECK_SARIF_SCHEMA names no schema of OASIS")
    def test_our_table_of_sarif_is_a_part_of_the_schema(self):
        """Of each object: what it must have, and members that the schema knows."""
        whole = sarif_schema.official()
        for name, ours in {**sarif_schema.DEFINITIONS, "": sarif_schema.LOG}.items():
            theirs = whole["definitions"][name] if name else whole
            self.assertLessEqual(set(theirs.get("required", ())), set(ours["required"]), name)
            if name != "propertyBag":
                self.assertLessEqual(set(ours["properties"]), set(theirs["properties"]), name)

    def test_gitlab(self):
        for old, new in (('"critical"', '"minor"'), ('"begin": 41', '"begin": 0'), ('"location"', '"place"'),
                         ('"path": "streamcheck"', '"path": ""')):
            self.assert_sees("gitlab", old, new)

    def test_perfetto(self):
        self.assert_sees("perfetto", '"ph":"s"', '"ph":"f"')
        self.assert_sees("perfetto", '{"ph":"E"', '{"ph":"B"')


if __name__ == "__main__":
    unittest.main()
