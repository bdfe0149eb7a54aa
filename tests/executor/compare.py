"""Comparing results of kernels with the table of a GPU's."""
import math
import struct

import pools


def single(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def brain(bits):
    return single(bits << 16)


def half(bits):
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def double(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


DECODE = {"f32": lambda v: [single(v)], "f64": lambda v: [double(v)], "f16": lambda v: [half(v)],
          "bf16": lambda v: [brain(v)], "f16x2": lambda v: [half(v & 0xFFFF), half(v >> 16)],
          "bf16x2": lambda v: [brain(v & 0xFFFF), brain(v >> 16)]}
UNIT = 2.0 ** -23
LEAST = {"f32": 2.0 ** -149, "f64": 0, "f16": 2.0 ** -24, "f16x2": 2.0 ** -24, "bf16": 2.0 ** -133,
         "bf16x2": 2.0 ** -133}  # what subnormal numbers are multiples of


def is_near(got, expected, kind, bound, least):
    if math.isnan(expected) or math.isnan(got):
        return math.isnan(expected) == math.isnan(got)
    if math.isinf(expected) or math.isinf(got):
        return got == expected
    error = abs(got - expected)
    relative = error / abs(expected) if expected else error / 2.0 ** -126
    return {"abs": error <= bound, "rel": relative <= bound or error <= least, "log": min(error, relative) <= bound,
            "ulp": relative <= bound * UNIT or error <= bound * least}[kind]


def is_same(got, expected, variant):
    if got == expected or not variant.tolerance:
        return got == expected
    decode = DECODE[variant.types[-1]]
    kind, bound, least = variant.tolerance[0], float(variant.tolerance[1]), LEAST[variant.types[-1]]
    return all(is_near(a, b, kind, bound, least) for a, b in zip(decode(got), decode(expected)))


def operands_of(variant, thread):
    return " ".join(f"{pools.values(pool, position)[thread]:x}" for pool, position in variant.operands)


def wrong_of(variant, got, expected):
    """What differs first, or None."""
    if got is None:
        return "has not run"
    if len(got) != len(expected):
        return "has other results than in the table"
    for k, (mine, theirs) in enumerate(zip(got, expected)):
        wrong = [i for i, (a, b) in enumerate(zip(mine, theirs)) if not is_same(a, b, variant)]
        if wrong:
            i = wrong[0]
            return (f"result {k + 1} of {len(wrong)} threads, thread {i} of {operands_of(variant, i)}: "
                    f"{mine[i]:x}, not {theirs[i]:x}")
    return None


def differences(variants, results, table):
    """(text of a variant, what is wrong) for each that differs or that the table lacks."""
    for variant, got in zip(variants, results):
        if variant.text not in table:
            yield variant.text, "is not in the table"
            continue
        wrong = wrong_of(variant, got, table[variant.text])
        if wrong:
            yield variant.text, wrong
