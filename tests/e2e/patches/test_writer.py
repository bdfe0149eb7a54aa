#!/usr/bin/env python3
"""The writer of patches (packaging/python/patch) by itself: plans and sources that are made up here.

usage: test_writer.py
A source marks its lines: the statement of the first operation by FIRST, that of the second by THEN. Each case is such a text,
and the text that becomes of it, or the reason why nothing does.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import patched

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
WRITER = os.path.join(ROOT, "packaging", "python", "patch")
sys.path[:0] = [WRITER, patched.PACKAGES]
import calls  # noqa: E402  # pylint: disable=wrong-import-position

FIRST, THEN = "/*1*/", "/*2*/"
EVENT = "cudaEvent_t done; cudaEventCreateWithFlags(&done, cudaEventDisableTiming); cudaEventRecord(done, s);"
WAIT = "cudaStreamWaitEvent(t, done, 0); cudaEventDestroy(done);"


def place(path, lines, call="", function="f", **more):
    return {"module": "/app", "own": True, "call": call, "waits": False, "library": False,
            "frames": [{"function": function, "file": path, "line": line} for line in lines], **more}


def plan(kind, first, then, language="runtime", threads="one", devices=1, streams=1):
    edit = {"kind": kind, "language": language, "threads": threads, "streams": streams}
    edit.update({key: value for key, value in (("first", first), ("then", then)) if value})
    return {"devices": devices, "edits": [edit]}


def line_of(text, mark):
    return text[:text.index(mark)].count("\n") + 1


class Writer(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        self.addCleanup(holder.cleanup)
        self.folder = os.path.realpath(holder.name)

    def run_writer(self, what, *options, packages=patched.PACKAGES, cwd=None, code=0):
        env = {**os.environ, "PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1"}
        text = what if isinstance(what, str) else json.dumps(what)
        done = subprocess.run([sys.executable, "-B", WRITER, *options, "-"], input=text, cwd=cwd or self.folder, env=env,
                              capture_output=True, text=True, check=False, timeout=120)
        self.assertIn(done.returncode, (0, 2) if code is None else (code,), done.stderr)
        return done.stdout if not done.returncode else done.stderr

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        patched.write(path, text)
        return path

    def patched_text(self, kind, text, name="a.cu", **more):
        """The source with its patch, or the reason why it has none."""
        path = self.write(name, text)
        first = place(path, [line_of(text, FIRST)], "cudaMemsetAsync") if FIRST in text else None
        then = place(path, [line_of(text, THEN)], "cudaMemcpyAsync") if THEN in text else None
        patch = self.run_writer(plan(kind, first, then, **more))
        if patch.startswith("#"):
            return patch.split(": ", 1)[1].strip()
        done = subprocess.run(["patch", "-p1", "--fuzz=0"], input=patch, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, patch + done.stdout)
        with open(path, encoding="utf-8") as file:
            return file.read()

    def check(self, kind, text, wanted, **more):
        self.assertEqual(self.patched_text(kind, text, **more), wanted)

    # ---- C++ ----

    def test_statements_that_share_a_line(self):
        self.check("event", "void f() {\n\tcudaMemsetAsync(p, 0, n, s); /*1*/ use(); /*2*/cudaMemcpyAsync(q, p, n, k, t);\n}\n",
                   f"void f() {{\n\tcudaMemsetAsync(p, 0, n, s); {EVENT} /*1*/ use(); /*2*/{WAIT} cudaMemcpyAsync(q, p, n, k, t);\n}}\n")

    def test_a_method_of_one_line(self):
        self.check("sync_after", "struct A { void f() { cudaMemsetAsync(p, 0, n, s_); } /*1*/ cudaStream_t s_; };\n",
                   "struct A { void f() { cudaMemsetAsync(p, 0, n, s_); cudaStreamSynchronize(s_); } /*1*/ cudaStream_t s_; };\n")

    def test_a_branch_without_brackets(self):
        self.check("sync_after", "void f()\n{\n\tif (a)\n\t\tcudaMemsetAsync(p, 0, n, s); /*1*/\n\telse\n\t\tg();\n}\n",
                   "void f()\n{\n\tif (a) {\n\t\tcudaMemsetAsync(p, 0, n, s); /*1*/\n\t\tcudaStreamSynchronize(s);\n\t}\n\telse\n\t\tg();\n}\n")
        self.check("sync_after", "void f()\n{\n\tfor (;;) cudaMemsetAsync(p, 0, n, s); /*1*/\n}\n",
                   "void f()\n{\n\tfor (;;) { cudaMemsetAsync(p, 0, n, s); cudaStreamSynchronize(s); } /*1*/\n}\n")

    def test_a_lambda_has_what_it_captures(self):
        text = "void f(cudaStream_t s)\n{\n\tcudaMemsetAsync(p, 0, n, s); /*1*/\n\trun([%s] {\n\t\tuse(p); /*2*/\n\t});\n}\n"
        wait = "\t\tcudaStreamSynchronize(s);\n\t\tuse(p)"
        for capture in ("&", "=", "s", "&s", "p, s"):
            # One function is not the other: the lambda may run later, when the variable is another stream.
            self.assertIn("may not be known", self.patched_text("sync_stream", text % capture))
        self.assertNotIn(wait, self.patched_text("sync_stream", text % ""))

    def test_a_variable_of_a_block_that_has_ended(self):
        self.assertIn("may not be known", self.patched_text("sync_stream", "void f()\n{\n\t{\n\t\tcudaStream_t s = make();\n"
                      "\t\tcudaMemsetAsync(p, 0, n, s); /*1*/\n\t}\n\tuse(p); /*2*/\n}\n"))

    def test_another_variable_of_the_name(self):
        self.assertIn("may not be known", self.patched_text("sync_stream", "void f(cudaStream_t s)\n{\n"
                      "\tcudaMemsetAsync(p, 0, n, s); /*1*/\n\t{\n\t\tcudaStream_t s = other;\n\t\tuse(p, s); /*2*/\n\t}\n}\n"))

    def test_a_variable_that_has_changed(self):
        self.assertIn("another thing", self.patched_text("sync_stream", "void f(cudaStream_t s)\n{\n"
                      "\tcudaMemsetAsync(p, 0, n, s); /*1*/\n\ts = other;\n\tuse(p); /*2*/\n}\n"))

    def test_one_of_an_array(self):
        text = "void f(cudaStream_t *s, int i)\n{\n\tcudaMemsetAsync(p, 0, n, s[%s]); /*1*/\n\tuse(p); /*2*/\n}\n"
        for index in ("1", "i", "i + 1"):
            self.assertIn(f"cudaStreamSynchronize(s[{index}]);", self.patched_text("sync_stream", text % index))
        self.assertIn("another thing", self.patched_text("sync_stream", (text % "i").replace("\tuse", "\ti++;\n\tuse")))
        self.assertIn("another thing", self.patched_text("sync_stream", (text % "i").replace("\tcuda", "\tfor (;;)\n\tcuda")))
        self.assertIn("another thing", self.patched_text("sync_stream", text % "next()"))

    def test_before_the_program_ends(self):
        text = "int main(int n, char **a)\n{\n\tcudaStream_t s = make();\n\tcudaMemsetAsync(p, 0, n, s); /*1*/\n%s}\n"
        for end, wanted in (("\treturn 0;\n", "\tcudaStreamSynchronize(s);\n\treturn 0;\n"), ("", "\tcudaStreamSynchronize(s);\n"),
                            ("\tif (n) return 1;\n", "\tif (n) { cudaStreamSynchronize(s); return 1; }\n\tcudaStreamSynchronize(s);\n")):
            self.check("sync_stream", text % end, text % wanted)
        self.assertIn("not known", self.patched_text("sync_stream", (text % "").replace("main", "f")))

    def test_nodes_that_functions_return(self):
        text = ("void f(cudaGraph_t graph)\n{\n\tcudaGraphNode_t nodes[2];\n\tnodes[0] = fill(graph, p); /*1*/\n"
                "\tnodes[1] = copy(graph, q, p); /*2*/\n}\n")
        self.assertIn("cudaGraphAddDependencies(graph, &nodes[0], &nodes[1], 1);", self.patched_text("edge", text))
        text = ("static %s fill(cudaGraph_t, int *p)\n{\n\treturn n;\n}\nvoid f(cudaGraph_t graph)\n{\n\tfill(graph, node); /*1*/\n"
                "\tfill(graph, q); /*2*/\n}\n")
        got = self.patched_text("edge", text % "cudaGraphNode_t")
        self.assertIn("\tcudaGraphNode_t node2;\n\tnode2 = fill(graph, node); /*1*/\n\tcudaGraphNode_t node3;\n\tnode3 = fill(graph, q); /*2*/\n",
                      got)
        self.assertIn("cudaGraphAddDependencies(graph, &node2, &node3, 1);", got)
        for kind in ("cudaGraphNode_t *", "int"):
            self.assertIn("does not show", self.patched_text("edge", text % kind))

    def test_nodes_under_a_condition(self):
        text = ("void f(cudaGraph_t graph)\n{\n\tcudaGraphNode_t one, two;\n%s\tcudaGraphAddEmptyNode(&one, graph, NULL, 0); /*1*/\n"
                "%s\tcudaGraphAddEmptyNode(&two, graph, NULL, 0); /*2*/\n%s}\n")
        got = self.patched_text("edge", text % ("", "#ifdef A\n\tg();\n#else\n", "#endif\n"))
        self.assertIn("/*2*/\n#if CUDART_VERSION >= 13000\n", got.replace("\t#", "#"))
        call = ("/*2*/\n#ifdef A\n#if CUDART_VERSION >= 13000\n\tcudaGraphAddDependencies(graph, &one, &two, NULL, 1);\n#else\n"
                "\tcudaGraphAddDependencies(graph, &one, &two, 1);\n#endif\n#endif\n")
        self.assertIn(call + "}\n", self.patched_text("edge", text % ("#ifdef A\n", "#endif\n", "")))
        self.assertIn(call + "#endif\n}\n", self.patched_text("edge", text % ("#ifdef A\n", "#endif\n#ifdef B\n", "#endif\n")))
        self.assertIn(call.replace("#ifdef A\n", "#ifdef B\n#elif C\n#else\n"),
                      self.patched_text("edge", text % ("#ifdef B\n#elif C\n#else\n", "#endif\n", "")))

    def test_a_member_of_a_structure(self):
        text = ("static void g(%sstruct part *s, int n)\n{\n%s\tcudaMemsetAsync(s->p, 0, n, s->side.t); /*1*/\n%s}\nvoid f()\n{\n"
                "\tstruct part parts[2];\n\tg(%s, 1);\n%s\tuse(parts); /*2*/\n}\n")
        rows = [("&parts[0]", "parts[0].side.t"), ("parts", "parts->side.t")]
        for given, name in rows:
            for code in ("\ts->p = q;\n", "\ts->other.t = 0;\n", "\tuse(s->p);\n"):
                got = self.member(text % ("", "\tcudaStreamCreate(&s->side.t);\n", code, given, ""), given)
                self.assertIn(f"+\tcudaStreamSynchronize({name});\n \tuse(parts)", got)
            for code in ("\ts->side.t = 0;\n", "\ts->side = other;\n", "\ts = 0;\n", "\tend(s);\n", "\tend(&s->side);\n"):
                self.assertIn("does not show", self.member(text % ("", "", code, given, ""), given))
            for code in ("\tend(&parts[0]);\n", "\tend(parts);\n", "\tend(parts + 1);\n", "\tq = parts;\n"):
                self.assertIn("another thing", self.member(text % ("", "", "", given, code), given))
        self.assertIn("parts[0].side.t", self.member(text % ("", "", "", "&parts[0]", "\tend(&parts[1]);\n"), "&parts[0]"))
        self.assertIn("another thing", self.member(text % ("", "", "", "&parts[0]", "\tend(&parts[i]);\n"), "&parts[0]"))
        self.assertIn("does not show", self.member(text % ("", "", "", "at(0)", ""), "at(0)"))
        loop = text % ("", "\tfor (;;) {\n\tcudaStreamCreate(&s->side.t);\n", "\t}\n", "&parts[0]", "")
        self.assertIn("does not show", self.member(loop, "&parts[0]"))

    def member(self, text, given):
        path = self.write("a.cu", text)
        first = place(path, [line_of(text, FIRST), line_of(text, f"g({given}, 1)")], "cudaMemsetAsync")
        first["frames"][0]["function"] = "g(part*, int)"
        return self.run_writer(plan("sync_stream", first, place(path, [line_of(text, THEN)])))

    def test_a_member_that_the_call_sets_is_not_known_before_it(self):
        text = ("static void g(struct part *s)\n{\n%s\tcudaMemcpyAsync(s->p, q, n, k, s->t); /*2*/\n}\nvoid f(cudaStream_t u)\n{\n"
                "\tcudaMemsetAsync(q, 0, n, u); /*1*/\n\tg(&one);\n}\n")
        for code, wanted in (("", "+\tcudaStreamWaitEvent(one.t, done, 0);"), ("\tcudaStreamCreate(&s->t);\n", "does not show")):
            path = self.write("a.cu", text % code)
            then = place(path, [line_of(text % code, THEN), line_of(text % code, "g(&one)")], "cudaMemcpyAsync")
            then["frames"][0]["function"] = "g"
            self.assertIn(wanted, self.run_writer(plan("event", place(path, [line_of(text % code, FIRST)], "cudaMemsetAsync"), then)))

    def kernel_wait(self, text, kernel="k<int>(int*)"):
        what = plan("kernel_wait", None, place(self.write("a.cu", text), [line_of(text, THEN)], "cudaLaunchKernelExC"))
        what["edits"][0].update({"kernel": kernel, "first": what["edits"][0]["then"]})
        return self.run_writer(what)

    def test_a_kernel_that_waits(self):
        launch = "void f()\n{\n\tcudaLaunchKernelEx(&c, k, p); /*2*/\n}\n"
        wait = "+#if __CUDA_ARCH__ >= 900\n+\tcudaGridDependencySynchronize();\n+#endif\n"
        for head in ("__global__ void k(int *p)", "MY_KERNEL k(int *p)", "template <class T> __global__ void __launch_bounds__(4) k(T *p)"):
            self.assertIn(" {\n" + wait + " \t*p = 1;\n", self.kernel_wait(head + "\n{\n\t*p = 1;\n}\n" + launch))
        self.assertIn(wait + "+ *p = 1; }\n", self.kernel_wait("__global__ void k(int *p) { *p = 1; }\n" + launch))
        for text in ("__device__ void k(int *p)\n{\n}\n", "__global__ void k(int *p);\n", "__global__ void other(int *p)\n{\n}\n"):
            self.assertIn("no kernel has its name", self.kernel_wait(text + launch))
        several = "#ifdef A\n__global__ void k(int *p)\n{\n}\n#else\n__global__ void k(int *p)\n{\n}\n#endif\n"
        self.assertIn("several kernels have its name", self.kernel_wait(several + launch))

    def moved(self, end, between="", after="", kind="move_call", last="\tcudaMemsetAsync(p, 0, n, s); /*1*/\n"):
        return self.patched_text(kind, f"void f()\n{{\n{end}{between}{last}{after}}}\n")

    def test_a_call_that_moves(self):
        for end in ("cudaFree(p);", "CHECK(cudaFree(p));", "(void)cudaFree((void *)p);", "check((cudaFree(p)), \"free\" \"d\", 3);",
                    "a::check(::cudaFree(x->p[3]));", "streamcheck_pool_free(p, s);", "CHECK(cudaEventDestroy(e),\n\t      1);"):
            got = self.moved(f"\t{end} /*2*/\n", "\tg();\n", "\tg();\n")
            self.assertEqual(got, f"void f()\n{{\n\tg();\n\tcudaMemsetAsync(p, 0, n, s); /*1*/\n\t{end}\n\tg();\n}}\n")
        self.assertIn("/*1*/\n\tcudaStreamSynchronize(s);\n\tcudaFree(p);\n", self.moved("\tcudaFree(p); /*2*/\n", kind="wait_and_move_call"))
        self.assertIn("#ifndef A\n#endif\n\tcudaMemsetAsync(p, 0, n, s); /*1*/\n#ifndef A\n\tcudaFree(p);\n#endif\n",
                      self.moved("#ifndef A\n\tcudaFree(p); /*2*/\n#endif\n"))

    def test_a_call_whose_answer_is_used(self):
        for end in ("e = cudaFree(p);", "int e = cudaFree(p);", "printf(\"%d\", cudaFree(p));", "puts(text(cudaFree(p)));", "h(cudaFree(p), q);",
                    "release(p);", "return cudaFree(p);"):
            self.assertIn("more than a call that ends something", self.moved(f"\t{end} /*2*/\n"))

    def test_a_call_that_cannot_move(self):
        end, block = "\tcudaFree(p); /*2*/\n", "in another block"
        for text in ("\tif (a)\n" + end, "\t{\n" + end + "\t}\n", "\tfor (;;) {\n" + end + "\t}\n"):
            self.assertIn(block, self.moved(text))
        self.assertIn(block, self.moved("", "", end))
        self.assertIn(block, self.moved(end, "#ifdef A\n", "#endif\n"))
        self.assertIn("#ifdef A\n#else\n\tcudaFree(p);\n#endif\n", self.moved("#ifdef A\n#else\n" + end + "#endif\n"))
        self.assertIn("condition of the preprocessor", self.moved("#if defined(A) /* or not */\n" + end + "#endif\n"))
        for text in ("\tif (a)\n\t\treturn;\n", "\tthrow 3;\n", "here:\n\tg();\n", "\tif (a)\n\t\tbreak;\n"):
            self.assertIn("may be left", self.moved(end, text))
        self.assertIn("/*1*/\n\tcudaFree(p);\n", self.moved(end, "\tfor (;;)\n\t\tbreak;\n\tauto l = [] { return 1; };\n"))
        for text in ("\tp = q;\n", "\tcudaMalloc(&p, 3);\n", "\tint *p = q;\n"):
            self.assertIn("may not be known", self.moved(end, text))
        for end in ("\tcudaFree(q++); /*2*/\n", "\tcudaFree(get()); /*2*/\n"):
            self.assertIn("may not be known", self.moved(end))

    def test_an_event_of_several_devices(self):
        made, work = "\tCHECK(cudaStreamCreate(&s));\n", "\tcudaMemsetAsync(p, 0, n, s); /*1*/\n"
        def patch(before, work=work):
            text = f"void f()\n{{\n{before}{work}\tcudaMemcpyAsync(q, p, n, k, t); /*2*/\n}}\n"
            path = self.write("a.cu", text)
            line = before[:before.index("cudaStreamCreate")].count("\n") + 3 if before else 1
            frame = {"function": "f", "file": path, "line": line}
            first = place(path, [line_of(text, FIRST)], "cudaMemsetAsync", stream={"default": False, "made": [frame]})
            return self.run_writer(plan("event", first, place(path, [line_of(text, THEN)], "cudaMemcpyAsync"), devices=2))
        got = patch(made + "\tcudaSetDevice(1);\n")
        self.assertIn(" " + made + "+\tcudaEvent_t done;\n+\tcudaEventCreateWithFlags(&done, cudaEventDisableTiming);\n \tcudaSetDevice(1);\n"
                      " " + work + "+\tcudaEventRecord(done, s);\n", got)
        for before in ("", "\tif (a)\n\t" + made, "\tCHECK(cudaStreamCreate(&t));\n"):
            self.assertIn("the current device matters", patch(before))
        self.assertIn("/*1*/\n+\tcudaEvent_t done;\n", patch("", "\tkernel<<<1, 1, 0, s>>>(p); /*1*/\n"))

    def test_a_static_variable_without_includes(self):
        got = self.patched_text("event", "static void *p;\n\nvoid f()\n{\n\tcudaMemsetAsync(p, 0, n, s); /*1*/\n}\n\nvoid g()\n{\n"
                                "\tcudaMemcpyAsync(q, p, n, k, t); /*2*/\n}\n")
        self.assertIn("\nstatic cudaEvent_t done; /* made when it is recorded first */\nvoid f()", got)

    def test_macros_are_left_alone(self):
        self.assertIn("part of a larger statement", self.patched_text(
            "sync_after", "#define FILL(p) \\\n\tcudaMemsetAsync(p, 0, n, s); /*1*/\n"))

    def test_what_cannot_be_parsed(self):
        self.assertIn("#", "#" + self.patched_text("event", "void f()\n{\n\tcudaMemsetAsync(p, 0, n, s); /*1*/\n\tif (a) { {\n"
                                                   "\tcudaMemcpyAsync(q, p, n, k, t); /*2*/\n}\n"))

    def test_before_an_else(self):
        self.assertIn("alone", self.patched_text("sync_device", "void f()\n{\n\tif (a)\n\t\tg();\n\telse if (h(p)) /*2*/\n\t\tg();\n}\n"))

    def test_line_ends_and_the_last_line(self):
        text = "void f() {\r\n\tcudaMemsetAsync(p, 0, n, s); /*1*/\r\n}"
        path = os.path.join(self.folder, "a.cu")
        with open(path, "wb") as file:
            file.write(text.encode())
        self.run_writer(plan("sync_after", place(path, [2]), None), "--apply")
        with open(path, "rb") as file:
            self.assertEqual(file.read().decode(), text.replace("\r\n}", "\r\n\tcudaStreamSynchronize(s);\r\n}"))

    def test_the_name_where_the_stream_was_made(self):
        text = ("void f()\n{\n\tcudaStream_t s;\n\tcudaStreamCreate(&s);\n\tlaunch(config); /*1*/\n\tuse(p); /*2*/\n}\n"
                "void g(cudaStream_t s)\n{\n\tlaunch(config);\n\tuse(p);\n}\n")
        path = self.write("a.cu", text)
        made = {"name": "s", "made": [{"function": "f", "file": path, "line": 4}]}
        got = self.run_writer(plan("sync_stream", place(path, [5], stream=made), place(path, [6])))
        self.assertIn("+\tcudaStreamSynchronize(s);\n", got)
        self.assertIn("does not show", self.run_writer(plan("sync_stream", place(path, [10], stream=made), place(path, [11]))))
        self.write("a.cu", text.replace("\tlaunch(config); /*1*/\n", "\tlaunch(config); s = h();\n", 1))
        self.assertIn("does not show", self.run_writer(plan("sync_stream", place(path, [5], stream=made), place(path, [6]))))
        self.write("a.cu", text)
        made["name"] = "system(0)"
        self.assertIn("does not show", self.run_writer(plan("sync_stream", place(path, [5], stream=made), place(path, [6]))))

    def test_the_name_where_the_other_line_is(self):
        text = ("void g(cudaStream_t t)\n{\n\tcudaMemsetAsync(p, 0, n, t); /*1*/\n}\nvoid f()\n{\n\tcudaStream_t s;\n"
                "\tcudaStreamCreate(&s);\n\tqueue(g, s);\n\tuse(p); /*2*/\n}\n")
        path = self.write("a.cu", text)
        made = {"name": "s", "made": [{"function": "f", "file": path, "line": 8}]}
        got = self.run_writer(plan("sync_stream", place(path, [3], stream=made), place(path, [10])))
        self.assertIn("+\tcudaStreamSynchronize(s);\n \tuse", got)

    # ---- Python ----

    def test_python_of_one_line(self):
        text = "import torch\nside = torch.cuda.Stream()\nfor x in y: x.fill_(stream=side) #/*1*/\n"
        self.check("sync_after", text, text.replace(" #", "; side.synchronize() #"), name="a.py", language="torch")

    # ---- what it is given ----

    def test_tables_are_the_commands(self):
        with open(os.path.join(ROOT, "reports/words/dialect.def"), encoding="utf-8") as file:
            rows = [row.split(", ", 1) for row in file.read().split("\nSC_DIALECT(")[1:]]
        for name, row in rows:
            texts = re.findall(r'"((?:[^"\\]|\\.)*)"', row)
            mine = calls.LANGUAGES[name]
            codes = (mine.stream_sync, mine.device_sync, mine.record, mine.wait, mine.event_sync)
            self.assertEqual(tuple(texts[5:14:2]), codes, name)
            self.assertEqual((texts[1], texts[2], texts[3], texts[14]), (mine.package, mine.current, mine.default, mine.event), name)
        self.assertEqual({name for name, _ in rows}, set(calls.LANGUAGES))
        with open(os.path.join(ROOT, "reports/words/call_text.c"), encoding="utf-8") as file:
            table = file.read().split("calls[] = {")[1].split("};")[0]
        theirs = {name: int(index) for name, index in re.findall(r'\{"(\w+)", (\d+)\}', table)}
        self.assertEqual(theirs, {name: calls.STREAMS.get(name) for name in theirs})

    def test_no_packages(self):
        self.assertIn("install streamcheck[patch]", self.run_writer(plan("sync_device", None, None), packages="", code=3))

    def test_no_plan(self):
        for text in ("", "{", "[]", '{"devices": 1}', '{"devices": 1, "edits": [1]}', "[" * 100000,
                     json.dumps(plan("event", {"frames": []}, None)), '{"devices": -1, "edits": []}'):
            self.run_writer(text, code=2)

    def test_only_sources_below_the_folder(self):
        text = "void f()\n{\n\tcudaMemsetAsync(p, 0, n, s);\n}\n"
        inner = os.path.join(self.folder, "inner")
        os.mkdir(inner)
        outside, hidden = self.write("a.cu", text), self.write("inner/.b/a.cu", text)
        os.symlink(outside, os.path.join(inner, "link.cu"))
        os.mkfifo(os.path.join(inner, "pipe.cu"))
        for path in (outside, hidden, inner + "/link.cu", inner + "/../a.cu", inner + "/pipe.cu", "/dev/zero", "/proc/self/mem.cu"):
            got = self.run_writer(plan("sync_after", place(path, [3]), None), "--apply", cwd=inner)
            self.assertTrue(got.startswith("# edit 1"), path + got)
        got = self.run_writer(plan("sync_after", place(outside, [3]), None), "--apply", f"--source-root={self.folder}", cwd=inner)
        self.assertIn("+\tcudaStreamSynchronize(s);", got)
        with open(outside, encoding="utf-8") as file:
            self.assertIn("cudaStreamSynchronize(s);", file.read())

    def test_modules_of_the_current_folder(self):
        """Sources are somebody else's."""
        for name in ("plan.py", "tree_sitter.py", "json.py"):
            self.write(name, "raise SystemExit('taken')\n")
        self.assertEqual(self.run_writer(plan("sync_device", None, None)), "# edit 1 is not in this patch: its line is not known\n")

    def test_odd_sources_end(self):
        for name, text in (("a.cu", "void f() { " + "(" * 200000), ("b.cu", "void f() {" + "{" * 100000 + " g(); " + "}" * 100000),
                           ("c.cu", "void f() { g(); }\n" * 20000), ("d.cu", "void f() { g(" + "a<b<" * 2000)):
            path = self.write(name, text)
            with self.subTest(name):
                self.run_writer(plan("event", place(path, [1]), place(path, [1])), code=None)


if __name__ == "__main__":
    unittest.main()
