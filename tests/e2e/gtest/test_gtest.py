#!/usr/bin/env python3
"""What findings say of GoogleTest's tests. usage: test_gtest.py PREFIX PROGRAM   (none: GoogleTest is not installed)"""
import os
import sys
import tempfile
import xml.etree.ElementTree as xml

import checked

SKIPPED = 77
WANTED = [("Upload", "test: Upload.SeesTheFixture"), ("test: Upload.Races", "test: Upload.Races")]
FAILS = {"Upload.SeesTheFixture": True, "Upload.Races": True}


def junit_cases(arguments):
    """{test: it fails} of the JUnit report."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "r.xml")
        checked.check(sys.argv[1], sys.argv[2], schedule="eager", arguments=arguments, options=["report=junit:" + path])
        cases = xml.parse(path).getroot().iter("testcase")
        return {c.get("name"): c.find("failure") is not None for c in cases if c.get("name").startswith("Upload")}


def check_junit():
    """With ranges each test has a case; without, each that has a finding, by the function of GoogleTest in its stack."""
    wrong = []
    for arguments, wanted in (((), {**FAILS, "Upload.Waits": False}), (("--plain",), FAILS)):
        found = junit_cases(arguments)
        if found != wanted:
            wrong.append(f"JUnit has the cases {found}, not {wanted}")
    return wrong


def main():
    if len(sys.argv) < 3:
        print("SKIPPED, NOTHING WAS CHECKED: no GoogleTest (libgtest-dev)")
        return SKIPPED
    result = checked.check(sys.argv[1], sys.argv[2], schedule="eager")
    errors = [f for f in result.findings if f["severity"] == "error"]
    ranges = sorted(tuple(a.get("range") for a in f["accesses"]) for f in errors)
    if ranges != sorted(WANTED) or result.code != 66:
        print(f"{ranges} with exit code {result.code}:\n{result.out}{result.err}")
        return 1
    for names in WANTED:
        for name in names:
            if f', in "{name}"' not in result.err:
                print(f"{name} is not in the report:\n{result.err}")
                return 1
    wrong = check_junit()
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
