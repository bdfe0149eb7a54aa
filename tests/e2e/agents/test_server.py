#!/usr/bin/env python3
"""The server for agents, asked by the official client: usage: test_server.py PREFIX PROGRAMS [record]

PROGRAMS is the folder of test cases that are built for the simulated device. exchanges.json has calls and their answers, about a
text trace; `record` writes it anew.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import served

PREFIX, PROGRAMS = map(os.path.abspath, sys.argv[1:3])
EXCHANGES = os.path.join(served.HERE, "exchanges.json")
TOOLS = ["check", "finding", "patch", "repair", "rules", "waits", "why_ordered"]
RACE = "cross_stream_write_write"


class Case(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        holder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        self.addCleanup(holder.cleanup)
        self.folder = os.path.realpath(holder.name)
        self.work = os.path.join(self.folder, "work")
        os.mkdir(self.work)
        shutil.copy(os.path.join(served.HERE, "race.sct.txt"), self.work)
        shutil.copy(os.path.join(PROGRAMS, RACE), self.work)
        os.mkdir(os.path.join(self.folder, "outside"))
        shutil.copy(os.path.join(self.work, "race.sct.txt"), os.path.join(self.folder, "outside"))
        os.symlink("../outside", os.path.join(self.work, "link"))

    def contents(self):
        return sorted(os.path.join(at, name) for at, _, names in os.walk(self.work) for name in names)

    def session(self):
        return served.session(PREFIX, self.work, self.folder)

    async def refused(self, tools, what, tool, **arguments):
        is_error, said = await tools.call(tool, **arguments)
        self.assertTrue(is_error, said)
        self.assertRegex(said, what)


class Recorded(Case):
    """What was asked and answered once is answered so again."""

    def plain(self, said):
        return re.sub(r'("streamcheck": )"[^"]*"', r'\1"VERSION"', said.replace(self.work, "WORKSPACE"))

    async def test_exchanges(self):
        with open(EXCHANGES, encoding="utf-8") as file:
            exchanges = json.load(file)
        answers = []
        async with self.session() as tools:
            for exchange in exchanges:
                is_error, said = await tools.call(exchange["tool"], **exchange["arguments"])
                answer = self.plain(said)
                answers.append({**exchange, "error": is_error, "answer": answer if is_error else json.loads(answer)})
        if "record" in sys.argv[3:]:
            with open(EXCHANGES, "w", encoding="utf-8") as file:
                file.write(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")
        self.assertEqual(answers, exchanges)

    async def test_tools(self):
        async with self.session() as tools:
            listed = (await tools.client.list_tools()).tools
        self.assertEqual(sorted(tool.name for tool in listed), TOOLS)
        self.assertEqual([tool.name for tool in listed if not tool.annotations.read_only_hint], ["check", "patch"])
        self.assertTrue(all(len(tool.description) > 50 for tool in listed))


class Runs(Case):
    """Programs that are run."""

    async def test_a_race(self):
        before = self.contents()
        async with self.session() as tools:
            answer = await tools.ask("check", command=["./" + RACE], device="sim")
            self.assertTrue(answer["complete"])
            self.assertEqual(answer["findings"][0]["rule"], "SC-105")
            number, first, then = answer["findings"][0]["number"], *(o["at"] for o in answer["findings"][0]["operations"])
            whole = await tools.ask("finding", number=number)
            self.assertEqual(len(whole["finding"]["accesses"]), 2)
            self.assertIn("hence:", whole["argument"])
            self.assertEqual((await tools.ask("why_ordered", first=first, second=then))["before"], 0)
            self.assertIn("SC-105", await tools.ask("rules", rule="SC-105"))
            self.assertTrue((await tools.ask("repair"))["edits"])
            patch = await tools.ask("patch", build=["true"], apply=True)
            self.assertEqual((patch["confirmed"], patch["applied"]), (False, False))
            self.assertIn("not confirmed", patch["said"])
        self.assertEqual(self.contents(), before)  # no tool left anything

    async def test_words_are_no_shell(self):
        async with self.session() as tools:
            await self.refused(tools, "exit code 3", "check", command=["echo", "$(touch a)", "; touch b", ">c"])
            await self.refused(tools, "cannot be started|exit code 127", "check", command=["no such program; touch d"])
            answer = await tools.ask("check", command=["./" + RACE], device="sim")
            patch = await tools.ask("patch", run=answer["run"], build=["echo", "; touch e", "$(touch f)", "' >g"])
            self.assertFalse(patch["confirmed"])
        self.assertFalse([path for path in self.contents() if len(os.path.basename(path)) == 1])

    async def test_no_report_is_no_success(self):
        async with self.session() as tools:
            await self.refused(tools, "nothing is known about findings.*exit code 3", "check", command=["true"])
            await self.refused(tools, "ended by the server", "check", command=["sleep", "600"], seconds=2)
            self.assertGreaterEqual(len(tools.progress), 1)
            self.assertTrue(all(0 < done <= total for done, total in tools.progress))
            with open(os.path.join(self.work, "lost.sct.txt"), "w", encoding="utf-8") as file:
                file.write('alloc d 64\nlost value=1 text="no room"\nexit 0\n')
            answer = await tools.ask("check", trace="lost.sct.txt")
            self.assertEqual((answer["findings"], answer["complete"]), ([], False))
            self.assertIn("exit code 3", str(answer["incomplete_because"]))
            is_error, said = await tools.call("check", command=["sh", "-c", f"./{RACE}; sleep 600"], device="sim", seconds=6)
            self.assertTrue(is_error or not json.loads(said)["complete"], said)

    async def test_processes(self):
        async with self.session() as tools:
            answer = await tools.ask("check", command=["sh", "-c", f"./{RACE}; ./{RACE}; exit 5"], device="sim")
            self.assertIn("exit code 5", answer["exit"])
            self.assertEqual((answer["covered"]["processes"], answer["counts"]["error"]), (2, 1))  # each has the same
            await self.refused(tools, "2 processes are meant", "repair")
            pid = answer["findings"][0]["process"]
            self.assertTrue((await tools.ask("repair", process=pid))["edits"])
            self.assertTrue((await tools.ask("finding", process=pid, number=1))["argument"])
            await self.refused(tools, "0 processes", "waits", process=1)


class Confined(Case):
    """Paths and options."""

    async def test_paths(self):
        outside = os.path.join(self.folder, "outside", "race.sct.txt")
        async with self.session() as tools:
            for path in ("../outside/race.sct.txt", outside, "link/race.sct.txt", "./link/../../outside/race.sct.txt", "/etc/passwd"):
                await self.refused(tools, "not in the workspace", "check", trace=path)
                await self.refused(tools, "not in the workspace", "check", trace="race.sct.txt", options=[f"baseline={path}"])
                if path.endswith("txt"):
                    await self.refused(tools, "not in the workspace", "check", command=[path])
            await self.refused(tools, "not there", "check", trace="none.sct")
            await self.refused(tools, "no path", "check", trace="a\0b")

    async def test_options(self):
        names = ("output", "report", "trace", "live-output", "live-html", "config", "sanitizer", "gen-suppressions", "html", "summary",
                 "debuginfod", "build", "patch", "exitcode", "no-such")
        async with self.session() as tools:
            for name in names:
                await self.refused(tools, "is not allowed", "check", trace="race.sct.txt", options=[f"--{name}=x"])
            for option in ("hosts", "hosts=a\nb", "-x", "", "own=" + "x" * 5000):
                await self.refused(tools, "is not allowed", "check", trace="race.sct.txt", options=[option])
            await self.refused(tools, "hosts", "check", trace="race.sct.txt", options=["hosts=none"])

    async def test_a_configuration_is_not_read(self):
        with open(os.path.join(self.work, "streamcheck.toml"), "w", encoding="utf-8") as file:
            file.write('report = "json:written.json"\noutput = "written"\nhtml = "yes"\n')
        before = self.contents()
        async with self.session() as tools:
            await tools.ask("check", trace="race.sct.txt")
            await tools.ask("finding", number=1)
        self.assertEqual(self.contents(), before)

    async def test_strange_calls(self):
        async with self.session() as tools:
            await self.refused(tools, "no run yet", "repair")
            await self.refused(tools, "either a command or a trace", "check")
            await self.refused(tools, "at most 4096", "check", command=["./" + RACE, "x" * 5000])
            await self.refused(tools, "1 to 256", "check", command=["true"] * 300)
            await self.refused(tools, "no program", "check", command=["--output=x"])
            await self.refused(tools, "seconds", "check", command=["true"], seconds=10 ** 6)
            await tools.ask("check", trace="race.sct.txt")
            await self.refused(tools, "an operation is", "why_ordered", first="--output=x", second="8")
            await self.refused(tools, "say how the program is built", "patch", apply=True)
            await self.refused(tools, "by its command first", "patch", build=["true"])
            await self.refused(tools, "there is no run", "waits", run="run-99")
            await self.refused(tools, "a rule is", "rules", rule="--help")
            for _ in range(9):
                last = await tools.ask("check", trace="race.sct.txt")
            await self.refused(tools, "there is no run 'run-1'", "waits", run="run-1")
            self.assertIn("findings", await tools.ask("check", trace="race.sct.txt"))
            await tools.ask("finding", number=1, run=last["run"])


class Alone(Case):
    """What does not need a client."""

    def test_bounded(self):
        own = served.package(PREFIX, self.folder)
        sys.path.insert(0, own)
        self.addCleanup(sys.path.remove, own)
        from streamcheck import _mcp_command
        short = {"a": [1, 2], "b": "c"}
        self.assertEqual(_mcp_command.bounded(short, 1000), short)
        for long in ({"a": list(range(10 ** 5))}, {"a": "x" * 10 ** 6}, {"a": [{"b": ["y" * 999] * 99}] * 99}, "z" * 10 ** 5,
                     {str(n): "w" * 99 for n in range(999)}):
            said = json.dumps(_mcp_command.bounded(long, 5000), ensure_ascii=False, indent=1)
            self.assertLessEqual(len(said), 5000)
            self.assertRegex(said, "left.out")

    def start(self, paths, *words):
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        return subprocess.run([sys.executable, "-P", "-m", "streamcheck", "mcp", *words], cwd=self.work, env=env, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def test_how_it_starts(self):
        own = served.package(PREFIX, self.folder)
        done = self.start([own])
        self.assertEqual(done.returncode, 1)
        self.assertIn("streamcheck[mcp]", done.stderr)
        self.assertIn("has to be a folder", self.start([own, served.PACKAGES], "--root=/").stderr)
        done = self.start([own, served.PACKAGES])  # its input has ended
        self.assertEqual((done.returncode, done.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
