"""Operands of the kernels: for each pool and position one value for each thread, always the same."""
import random
import struct

THREADS = 256
POSITIONS = 8
SPECIALS = 12  # all pairs of them are met, by the first threads

# Bytes of a value; "f4": single precision. variants.txt says what each pool is.
WIDTHS = {"i2": 2, "i4": 4, "i8": 8, "n4": 4, "p": 4, "f2": 2, "b2": 2, "x2": 4, "y2": 4, "f4": 4,
          "f8": 8, "f1": 2, "t2": 4, "s2": 4, "u2": 4, "t4": 4, "t8": 8, "c4": 4, "g4": 4, "g8": 8,
          "w4": 4, "w8": 8, "e2": 4}


def single(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def double(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def half(value):
    return struct.unpack("<H", struct.pack("<e", value))[0]


def bfloat(value):
    return single(value) >> 16


def integers(bits):
    """The ends of the ranges of this width and of narrower ones."""
    top = 1 << (bits - 1)
    return [0, 1, 2 * top - 1, top, top - 1, top + 1, 2 * top - 2, 0x7F, 0x80, 0xFF, 3, 0x55 << (bits - 8)]


# Zeros, ones, both ends of the subnormal and the normal numbers, infinities, a quiet and a signalling NaN.
NUMBERS = {
    "f4": [0, 1 << 31, single(1), single(-1.5), 1, 0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0x7F800000,
           0xFF800000, 0x7FC12345, 0xFF800123],
    "f8": [0, 1 << 63, double(1), double(-1.5), 1, 0x800FFFFFFFFFFFFF, 0x0010000000000000,
           0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8123456789ABC,
           0xFFF0000000000123],
    "f2": [0, 1 << 15, half(1), half(-1.5), 1, 0x83FF, 0x0400, 0x7BFF, 0x7C00, 0xFC00, 0x7E12, 0xFC01],
    "b2": [0, 1 << 15, bfloat(1), bfloat(-1.5), 1, 0x807F, 0x0080, 0x7F7F, 0x7F80, 0xFF80, 0x7FC1, 0xFF81],
}


def halfway(rng):
    """A single near what two numbers of a narrower type have in the middle."""
    kept = rng.choice((10, 7, 3, 2))
    exponent = rng.randint(-28, 20) if rng.random() < 0.8 else rng.randint(-3, 3)
    low = 23 - kept
    bits = (127 + exponent) << 23 | rng.getrandbits(kept) << low | rng.getrandbits(1) << 31
    return bits + (rng.choice((0, 1, 2, (1 << low) - 1)) if rng.random() < 0.3 else
                   (1 << (low - 1)) + rng.choice((-1, 0, 0, 0, 1)))


EDGES = [65504, 65519.99, 65520, 65535, 448, 464, 464.01, 480, 57344, 61440, 61441, 2**-24, 2**-25,
         2**-25 * 1.01, 2**-14, 2**-14 * 0.999, 2**-9, 2**-10, 2**-10 * 1.01, 2**-16, 2**-17,
         2**-17 * 1.01, 2**-6, 0.5, 1.5, 2.5, 3.5, 1e30, 0, 2**-126, 2**-130, 2**-133, 2**-134, 3e38]


def near_range(rng, mantissa, encode):
    if rng.random() < 0.25:
        return encode(rng.choice((-1, 1)) * (rng.randint(0, 300) + rng.choice((0, 0.25, 0.5, 0.75))))
    power = 2.0 ** rng.choice((7, 8, 15, 16, 31, 32, 63, 64))
    step = max(0.5, power / 2.0 ** mantissa)
    return encode(rng.choice((-1, 1)) * (power + rng.choice((-2, -1, 0, 1, 2)) * step))


def small(rng):
    return rng.randint(-8, 8) / 2


def random_number(rng, pool):
    """Any bits, or one whose exponent is near one's, so that sums are rounded."""
    bits, mantissa, bias = {"f4": (32, 23, 127), "f8": (64, 52, 1023), "f2": (16, 10, 15),
                            "b2": (16, 7, 127)}[pool]
    if rng.random() < 0.25:
        return rng.getrandbits(bits)
    return (rng.getrandbits(1) << (bits - 1) | (bias + rng.randint(-8, 8)) << mantissa |
            rng.getrandbits(mantissa))


def pair(rng, value):
    return value(rng) | value(rng) << 16


def free_value(pool, rng):
    """Of the pools that have no pairs of special values."""
    return {
        "n4": lambda: rng.choice([rng.randint(0, 70), rng.randint(0, 33), 0, 31, 32, 63, 64, 255, 256, 264,
                                  0xFFFFFFFF, 0x80000000, 0x11F, 0x10]),
        "p": lambda: rng.getrandbits(1),
        "f1": lambda: rng.getrandbits(16),
        "t2": lambda: pair(rng, lambda r: half(small(r))),
        "s2": lambda: pair(rng, lambda r: bfloat(small(r))),
        "u2": lambda: pair(rng, lambda r: half(r.uniform(-2, 2))),
        # Of both e4m3 and e5m2: zero, and numbers with few bits near one.
        "e2": lambda: sum(rng.choice((0, 0x80, 0x38, 0xB8, 0x40, 0x3C, 0xBC)) << 8 * i for i in range(4)),
        "t4": lambda: single(small(rng)),
        "t8": lambda: double(small(rng)),
        "c4": lambda: (single(rng.choice(EDGES) * rng.choice((-1, 1))) if rng.random() < 0.3
                       else rng.choice(NUMBERS["f4"]) if rng.random() < 0.1 else halfway(rng)),
        "g4": lambda: single(rng.uniform(-100, 100) * 2.0 ** -rng.randint(0, 12)),
        "g8": lambda: double(rng.uniform(-100, 100) * 2.0 ** -rng.randint(0, 12)),
        "w4": lambda: near_range(rng, 23, single),
        "w8": lambda: near_range(rng, 52, double),
    }[pool]()


def paired(specials, thread, position, rng, other):
    """All pairs of special values in the first two positions, then anything."""
    if thread >= SPECIALS * SPECIALS:
        return other()
    if position == 0:
        return specials[thread % SPECIALS]
    if position == 1:
        return specials[thread // SPECIALS]
    return rng.choice(specials) if rng.random() < 0.5 else other()


def value_of(pool, thread, position, rng):
    if pool in ("i2", "i4", "i8"):
        bits = 8 * WIDTHS[pool]
        return paired(integers(bits), thread, position, rng,
                      lambda: rng.getrandbits(bits) >> rng.choice((0, 0, 0, rng.randrange(bits))))
    if pool in NUMBERS:
        return paired(NUMBERS[pool], thread, position, rng, lambda: random_number(rng, pool))
    if pool in ("x2", "y2"):
        one = "f2" if pool == "x2" else "b2"
        low = value_of(one, thread, position, rng)
        return low | value_of(one, (thread * 5 + 77) % THREADS, position, rng) << 16
    return free_value(pool, rng)


def values(pool, position):
    rng = random.Random(f"{pool} {position}")
    return [value_of(pool, thread, position, rng) for thread in range(THREADS)]


def offset(pool, position):
    """Where the values lie in the bytes of `image`."""
    return (list(WIDTHS).index(pool) * POSITIONS + position % POSITIONS) * THREADS * 8


def image():
    parts = []
    for pool, width in WIDTHS.items():
        for position in range(POSITIONS):
            packed = b"".join(value.to_bytes(width, "little") for value in values(pool, position))
            parts.append(packed.ljust(THREADS * 8, b"\0"))
    return b"".join(parts)
