#!/usr/bin/env python3
"""unseen.py leaves out only programs that have no threads, no locks and no handlers of signals.

usage: test_unseen.py CC
"""
import os
import subprocess
import sys
import tempfile
import unittest

import unseen

CC = "cc"
ALONE = "int main(void) { return 0; }"
SEEN = ("#include <pthread.h>\nstatic void *f(void *x) { return x; }\n"
        "int main(void) { pthread_t t; return pthread_create(&t, 0, f, 0); }",
        "#include <pthread.h>\nstatic pthread_mutex_t m;\nint main(void) { return pthread_mutex_unlock(&m); }",
        "#include <threads.h>\nstatic int f(void *x) { return x != 0; }\n"
        "int main(void) { thrd_t t; return thrd_create(&t, f, 0); }",
        "#include <signal.h>\nint main(void) { return signal(SIGUSR1, SIG_IGN) == SIG_ERR; }",
        "#include <signal.h>\nint main(void) { return sigaction(SIGUSR1, 0, 0); }",
        "#include <dlfcn.h>\nint main(void) { return !dlopen(\"libm.so.6\", RTLD_NOW); }")


class Unseen(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="streamcheck-test-")
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def build(self, name, text, *options):
        path = os.path.join(self.folder, name)
        subprocess.run([CC, "-x", "c", "-", "-x", "none", "-pthread", "-o", path, *options], input=text.encode(), check=True)
        return path

    def is_unseen(self, program, **preload):
        env = [{"name": "ENVIRONMENT", "value": [f"{name}={value}" for name, value in preload.items()]}]
        return unseen.is_unseen(self.folder, {"command": [program], "properties": env})

    def test_programs(self):
        self.assertTrue(self.is_unseen(self.build("alone", ALONE)))
        for index, text in enumerate(SEEN):
            self.assertFalse(self.is_unseen(self.build(f"seen{index}", text)), text)

    def test_a_library_of_the_build_and_a_preloaded_one(self):
        library = self.build("libseen.so", SEEN[0].replace("main", "other"), "-shared", "-fPIC")
        linked = self.build("linked", "int other(void); int main(void) { return other(); }", library)
        self.assertFalse(self.is_unseen(linked))
        alone = self.build("alone", ALONE)
        self.assertFalse(self.is_unseen(alone, LD_PRELOAD=library))
        self.assertTrue(self.is_unseen(alone, OTHER=library))

    def test_scripts_and_what_is_not_built_may_do_anything(self):
        script = os.path.join(self.folder, "script")
        with open(script, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n")
        self.assertFalse(self.is_unseen(script))
        self.assertFalse(unseen.is_unseen(self.folder, {"name": "unit.x"}))


if __name__ == "__main__":
    CC = sys.argv.pop(1)
    unittest.main()
