"""Traces of one program compared: what hooks recorded, and what CUPTI's callbacks did."""
import os
import re
import subprocess
import tempfile

import checked

SKIPPED = re.compile(r"^(string|stack|map|source|process|image|driver|device\w*|function|lost|options) ")
# What host threads synchronize on is no call of CUDA; the two sources start to listen at different
# moments of the driver's own set-up. Nor is what the host touches: the page guard sees it, whatever
# the source, and how much of it depends on whether the host comes first or the device or a callback.
HOST = re.compile(r"^(t\d+: )?(sync_\w+|thread_\w+|host_(read|write|free)) ")
POLLED = re.compile(r"_query .*result=600")
QUERY = re.compile(r"\w+_query ")
LINKED = re.compile(r"(callback_(begin|end)|kernel_fault|launch_bytes) \d+")
# Whether work uses memory that was freed meanwhile (an illegal address, 700) is up to the device.
DROPPED = re.compile(r" (time_ns|stack|params|link|launch)=\S+| result=700\b")
# CUPTI on a GPU reports no calls inside callbacks of streams; with it as the source the driver's
# hooks record them, and name the driver calls of the runtime.
INSIDE = re.compile(r"^(t\d+: )?call \w+ (context=\d+ )?(?=flags=in_callback)(.*?)( result=\d+)?$")
SHARED = re.compile(r"\bshare \d+")  # made of a handle's bytes
ADDRESS = re.compile(r"0x[0-9a-f]+")
# Whether a number is left out (of a mipmapped array) depends on which addresses the heap gives out again.
OBJECT = re.compile(r"\bobject=(\d+)")
# Which bytes a launch read first is known of those that one worker alone wrote.
ACCESSES = re.compile(r"accesses=\[(.*?)\]")
PIECE = re.compile(r"([^, ][^,:]*)(?::(\d+))?([^,]*)")


def record(prefix, program, folder, options, device="gpu"):
    """Runs a program with a kept trace; its exit code, output, stderr and dump."""
    trace = os.path.join(folder, "trace.sct")
    if os.path.exists(trace):
        os.unlink(trace)
    # Lazy: the simulated device works when the program waits, the same in every run.
    env = checked.environment(prefix, device, "lazy", bare=True,
                              options=":".join([f"trace={trace}", "analyze=no", *options]))
    code, out, err = checked.run(program, env)
    command = [os.path.join(prefix, "bin", "streamcheck"), "dump", trace]
    done = subprocess.run(command, capture_output=True, check=False)
    return code, out, err, done.stdout.decode(errors="replace").splitlines()


def summed(accesses):
    """How many bytes of each kind, however they are divided."""
    sums = {}
    for kind, size, rest in PIECE.findall(accesses.replace("%read_first", "")):
        sums[kind, rest] = sums.get((kind, rest), 0) + int(size or 0)
    return ", ".join(f"{kind}:{size}{rest}" for (kind, rest), size in sorted(sums.items()))


def plain(dump, keep_addresses):
    """The ops without what differs from run to run; addresses and objects by order of appearance."""
    seen, objects = {}, {}
    lines = []
    for line in dump:
        if SKIPPED.match(line) or HOST.match(line) or POLLED.search(line):
            continue
        line = LINKED.sub(r"\1", DROPPED.sub("", line))
        line = INSIDE.sub(r"\1call \3", SHARED.sub("share", line))
        line = ADDRESS.sub(lambda m: f"a{seen.setdefault(m[0], len(seen))}" if keep_addresses
                           else "a", line)
        line = OBJECT.sub(lambda m: f"object={objects.setdefault(m[1], len(objects))}" if keep_addresses else "object", line)
        if line.startswith("launch_bytes") and not keep_addresses:
            line = ACCESSES.sub(lambda m: f"accesses=[{summed(m[1])}]", line)
        lines.append(line if keep_addresses else re.sub(r"^t\d+: ", "", line))
    return lines


def compare(prefix, program, device="gpu"):
    """Do hooks and callbacks give the same ops? Returns (word, details)."""
    with tempfile.TemporaryDirectory() as folder:
        hooks = record(prefix, [program], folder, [], device)[3]
        cupti = record(prefix, [program], folder, ["source=cupti"], device)[3]
    if not any("driver calls from callbacks" in line and line.startswith("source 1")
               for line in cupti):
        return "SKIP", "CUPTI cannot be used here"
    if plain(hooks, True) == plain(cupti, True):
        return "same", ""
    left, right = sorted(plain(hooks, False)), sorted(plain(cupti, False))
    if left == right:
        return "same", "in another order"
    # Whether the work was done when somebody asked is up to the device.
    if [x for x in left if not QUERY.match(x)] == [x for x in right if not QUERY.match(x)]:
        return "same", "with other answers to queries"
    only = [f"-{line}" for line in left if line not in right]
    only += [f"+{line}" for line in right if line not in left]
    return "FAIL", f"{len(left)} and {len(right)} ops; " + "; ".join(only[:3])
