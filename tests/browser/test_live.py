"""The page of a program that still runs loads itself anew, and keeps what it shows. usage: test_live.py STREAMCHECK"""
import os
import sys
import unittest

import browser
import test_html
import test_many
import traces


class Live(test_html.Paged):
    def test_loads_itself_anew_and_keeps_its_view(self):
        path = test_html.write(self.folder.name, "live", traces.stripped(240, 120))
        with open(path, encoding="utf-8") as file:
            last = file.read()
        begin = '{"version":'  # of the data
        self.assertEqual(last.count(begin), 1)
        with open(path, "w", encoding="utf-8") as file:
            file.write(last.replace(begin, '{"refresh":1,"version":'))
        ask = self.page.ask
        self.page.complaints.clear()
        self.page.open("/dev/null")
        self.page.open(path)
        ask(test_many.choose("group-by", "kernel"))
        before = ask(test_many.TITLES)
        self.page.wait_for_load()  # nobody asked for it
        self.assertEqual(ask("location.hash"), "#by=kernel")
        self.assertEqual(ask(test_many.TITLES), before)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(last)
        os.replace(path + ".new", path)
        self.page.wait_for_load()
        while ask("JSON.parse(document.getElementById('data').textContent).refresh"):  # it was loaded just before the last one was there
            self.page.wait_for_load()
        self.assertEqual(ask("location.hash"), "#by=kernel")
        self.assertEqual(ask("document.getElementById('group-by').value"), "kernel")
        self.assertEqual(self.page.complaints, [])


if __name__ == "__main__":
    test_html.COMMAND = sys.argv.pop(1)
    if not browser.find():
        print("skipped: no chromium")
        sys.exit(test_html.SKIPPED)
    unittest.main(verbosity=2)
