"""Copies of tiles by tensor maps (run_tensors): running them, and comparing two devices."""
import concurrent.futures
import os
import subprocess

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "table.txt")
# What is known to differ from an H100, and why: by the beginning of a name. The table has no rows of these.
KNOWN = {"interleave": "interleaved layouts are not supported", "pixels-interleave": "the same"}


def run(program, what, folder, jobs):
    """Rows "CASE = checksum, or error" of the device that libcuda.so.1 is, in `folder` or where the system has it."""
    env = dict(os.environ, CUDA_CACHE_DISABLE="1")
    if folder:
        env["LD_LIBRARY_PATH"] = folder

    def share(number):
        command = [program, what, str(number), str(jobs)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        return done.stdout.splitlines() + ([f"share {number} = {done.stderr}"] if done.returncode else [])
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return sorted(row for rows in pool.map(share, range(jobs)) for row in rows)


def read_table():
    with open(TABLE, encoding="ascii") as file:
        return file.read().splitlines()


def split(rows):
    """Without the bytes that follow a checksum."""
    pairs = (row.split(" = ", 1) for row in rows)
    return {key: value if "CUDA" in value else value.split(" ")[0] for key, value in pairs}


def compare(got_rows, want_rows):
    """What is wrong, as lines."""
    got, want = split(got_rows), split(want_rows)
    return [f"{key}: {got.get(key)}, not {want.get(key)}" for key in sorted(got.keys() | want.keys())
            if got.get(key) != want.get(key) and not any(key.startswith(known) for known in KNOWN)]
