"""streamcheck: a correctness checker and race detector for asynchronous CUDA, as a Python package.

The package holds the command, the preload library, the simulated device and the headers. `python -m streamcheck run
train.py` checks a script; `load` reads what came of it; `name`, `quiet` and `section` are for programs that are checked, and
do nothing in others.
"""
from ._installed import command_path, include_dir, lib_path, prefix, simulator_dir
from ._marks import is_active, name, quiet, section
from ._read import CommandError, load
from ._report import Access, Allocation, Finding, Frame, Note, Process, Report

__version__ = "@VERSION@"
__all__ = ["Access", "Allocation", "CommandError", "Finding", "Frame", "Note", "Process", "Report", "command_path",
           "include_dir", "is_active", "lib_path", "load", "name", "prefix", "quiet", "section", "simulator_dir"]
