#!/usr/bin/env python3
"""Audits the rows of interposer/call/api_*.def against the installed cuda.h and prints the numbers.

usage: api.py INCLUDE_FOLDER

Every function that takes a stream, event, graph, context or memory argument has a row, in every
version and per-thread form that the headers know, or a reason in interposer/call/api_exempt.def.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^API0?\((\w+), (?:/\*\*/|(_\w+)), (\d+), (PLAIN|PTSZ|PTDS), (\w+), (\w+)", re.M)
EXEMPT = re.compile(r'^SC_API_EXEMPT\((\w+),\s*"([^"]+)"\)', re.M)
PROTOTYPE = re.compile(r"\bCUresult\s+CUDAAPI\s+(cu\w+)\s*\(([^;]*)\)\s*;")
TYPEDEF = re.compile(r"\*PFN_(cu\w+?)_v(\d+)(_ptsz|_ptds)?\)")
# What an argument is, by a piece of its type.
SUBJECTS = {
    "stream": r"CUstream\b",
    "event": r"CUevent\b",
    "graph": r"CUgraph|CUDA_\w+_NODE_PARAMS|CUuserObject",
    "context": r"CU(green)?[cC](on)?te?xt?\b|CUgreenCtx|CUcontext",
    "memory": r"CUdeviceptr|CUarray\b|CUmipmappedArray|CUmemoryPool|CUmemGenericAllocationHandle|"
              r"CUDA_MEMCPY|void \*|CUexternalMemory|CUgraphicsResource|CUmemPool|CUipcMem",
}


def read_rows():
    """{symbol: (base, version, form)} of all rows."""
    rows = {}
    for path in sorted((ROOT / "interposer/call").glob("api_*.def")):
        for base, suffix, version, form, _, _ in ROW.findall(path.read_text(encoding="utf-8")):
            rows[base + suffix] = (base, int(version), form)
    return rows


def read_prototypes(header):
    """{symbol: arguments}, the names as the library exports them, without per-thread twins."""
    renamed = dict(re.findall(r"^\s*#define (cu\w+)\s+(?:__CUDA_API_PT[SD][ZS]\()?(cu\w+)\)?\s*$",
                              header, re.M))
    found = {}
    for name, arguments in PROTOTYPE.findall(header):
        name = re.sub(r"_pt[sd][zs]$", "", renamed.get(name, name))
        found.setdefault(name, " ".join(arguments.split()))
    return found


def subjects(arguments):
    return {word for word, pattern in SUBJECTS.items() if re.search(pattern, arguments)}


def missing_functions(prototypes, rows, exempt):
    """Names without a row or a reason."""
    return [f"{name} ({', '.join(sorted(subjects(prototypes[name]))) or 'no such argument'})"
            for name in sorted(prototypes) if name not in rows and name not in exempt]


def missing_forms(header, rows):
    """Per-thread twins and versions that the headers know and the rows do not."""
    wrong = []
    for form, symbol in re.findall(r"__CUDA_API_(PTSZ|PTDS)\((cu\w+)\)", header):
        if symbol in rows and rows[symbol][2] != form:
            wrong.append(f"{symbol}: its row does not say {form}")
    return wrong


def missing_versions(typedefs, rows, exempt):
    known = {(base, version) for base, version, _ in rows.values()}
    return [f"{base}: cuGetProcAddress knows version {version}, no row does"
            for base, version, form in sorted(set(TYPEDEF.findall(typedefs)))
            if not form and base not in exempt and (base, int(version)) not in known]


def useless(rows, exempt):
    return [f"{name}: has a row, and a reason to have none" for name in sorted(exempt)
            if name in rows]


def main():
    folder = pathlib.Path(sys.argv[1])
    header = (folder / "cuda.h").read_text(encoding="utf-8")
    typedefs = (folder / "cudaTypedefs.h").read_text(encoding="utf-8")
    rows, prototypes = read_rows(), read_prototypes(header)
    exempt = dict(EXEMPT.findall((ROOT / "interposer/call/api_exempt.def").read_text(encoding="utf-8")))
    with_subject = [name for name in prototypes if subjects(prototypes[name])]
    for word in SUBJECTS:
        count = sum(word in subjects(text) for text in prototypes.values())
        print(f"{count:4} functions of cuda.h take a {word} argument")
    twins = sum(form != "PLAIN" for _, _, form in rows.values())
    print(f"{len(prototypes):4} functions in all, {len(with_subject)} with such an argument; "
          f"{len(rows)} rows, {twins} with a per-thread form; {len(exempt)} exempted")
    wrong = (missing_functions(prototypes, rows, exempt) + missing_forms(header, rows) +
             missing_versions(typedefs, rows, exempt) + useless(rows, exempt))
    for line in wrong:
        print(line)
    return 1 if wrong or len(prototypes) < 400 else 0


if __name__ == "__main__":
    sys.exit(main())
