"""Where the package has the command and its files: an installed tree of streamcheck in a folder of its own."""
import os


def prefix() -> str:
    """The root of the installed tree, as for CMAKE_PREFIX_PATH."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "tree")


def command_path() -> str:
    """The command `streamcheck`."""
    return os.path.join(prefix(), "bin", "streamcheck")


def lib_path() -> str:
    """The preload library, for LD_PRELOAD."""
    return os.path.join(prefix(), "lib", "libstreamcheck.so")


def include_dir() -> str:
    """The folder to be given to a compiler by -I, for <streamcheck/streamcheck.h>."""
    return os.path.join(prefix(), "include")


def simulator_dir() -> str:
    """The folder of the simulated device's libraries."""
    return os.path.join(prefix(), "lib", "streamcheck", "sim")
