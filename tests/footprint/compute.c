/* Arithmetic of the test machine, on real numbers. */
#include "tests/footprint/compute.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

uint64_t masked(uint64_t value, unsigned bits)
{
	return bits >= 64 || !bits ? value : value & ((UINT64_C(1) << bits) - 1);
}

int64_t sign_extended(uint64_t value, unsigned bits)
{
	if (bits >= 64 || !bits)
		return (int64_t)value;
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static double as_real(uint64_t word, unsigned bits)
{
	float single;
	double real;

	if (bits == 64) {
		memcpy(&real, &word, sizeof(real));
		return real;
	}
	memcpy(&single, &word, sizeof(single));
	return bits == 32 ? (double)single : 0;
}

static uint64_t from_real(double real, unsigned bits)
{
	float single = (float)real;
	uint64_t word = 0;

	if (bits == 64)
		memcpy(&word, &real, sizeof(word));
	else if (bits == 32)
		memcpy(&word, &single, sizeof(single));
	return word;
}

/* Whole number as the type sees it, in a wide type that holds both signs. */
static __int128 number(uint64_t word, unsigned bits, char kind)
{
	return kind == 's' ? (__int128)sign_extended(word, bits) : (__int128)masked(word, bits);
}

bool compute_boolean(const char *op, bool x, bool y)
{
	if (!strcmp(op, "and"))
		return x && y;
	return !strcmp(op, "or") ? x || y : x != y;
}

static bool by_order(const char *op, int order)
{
	switch (op[0] << 8 | op[1]) {
	case 'e' << 8 | 'q': return order == 0;
	case 'n' << 8 | 'e': return order != 0;
	case 'l' << 8 | 't':
	case 'l' << 8 | 'o': return order < 0;
	case 'l' << 8 | 'e':
	case 'l' << 8 | 's': return order <= 0;
	case 'g' << 8 | 't':
	case 'h' << 8 | 'i': return order > 0;
	default: return order >= 0;
	}
}

bool compute_compare(const struct decoded *d, uint64_t x, uint64_t y)
{
	if (d->kind == 'f') {
		double a = as_real(x, d->bits), b = as_real(y, d->bits);

		return by_order(d->compare, (a > b) - (a < b));
	}
	{
		__int128 a = number(x, d->bits, d->kind), b = number(y, d->bits, d->kind);

		return by_order(d->compare, (a > b) - (a < b));
	}
}

uint64_t compute_atomic(const struct decoded *d, uint64_t old, uint64_t x, uint64_t y)
{
	__int128 a = number(old, d->bits, d->kind), b = number(x, d->bits, d->kind);

	if (!strcmp(d->atomic, "cas"))
		return masked(old, d->bits) == masked(x, d->bits) ? y : old;
	if (!strcmp(d->atomic, "exch"))
		return x;
	if (d->kind == 'f')
		return from_real(as_real(old, d->bits) + as_real(x, d->bits), d->bits);
	if (!strcmp(d->atomic, "min"))
		return (uint64_t)(a < b ? a : b);
	if (!strcmp(d->atomic, "max"))
		return (uint64_t)(a > b ? a : b);
	if (!strcmp(d->atomic, "and"))
		return old & x;
	if (!strcmp(d->atomic, "or"))
		return old | x;
	if (!strcmp(d->atomic, "inc"))
		return a >= b ? 0 : old + 1;
	return !strcmp(d->atomic, "xor") ? old ^ x : old + x;
}

static uint64_t compute_real(const struct decoded *d, const uint64_t *args)
{
	double x = as_real(args[0], d->bits), y = as_real(args[1], d->bits);

	switch (d->word) {
	case WORD_ADD: x = x + y; break;
	case WORD_SUB: x = x - y; break;
	case WORD_MUL: x = x * y; break;
	case WORD_DIV: x = x / y; break;
	case WORD_FMA:
	case WORD_MAD: x = x * y + as_real(args[2], d->bits); break;
	case WORD_NEG: x = -x; break;
	case WORD_ABS: x = fabs(x); break;
	case WORD_MIN: x = fmin(x, y); break;
	case WORD_MAX: x = fmax(x, y); break;
	case WORD_SQRT: x = sqrt(x); break;
	default: x = 0; break; /* no address in these tests depends on more */
	}
	return from_real(x, d->bits);
}

static uint64_t compute_product(const struct decoded *d, const uint64_t *args)
{
	unsigned __int128 product = (unsigned __int128)(number(args[0], d->bits, d->kind) *
							number(args[1], d->bits, d->kind));
	unsigned bits = d->wide ? d->bits * 2 : d->bits;

	if (d->high)
		product >>= d->bits;
	if (d->word == WORD_MAD)
		product += args[2];
	return masked((uint64_t)product, bits);
}

static uint64_t compute_shift(const struct decoded *d, const uint64_t *args)
{
	uint64_t by = masked(args[1], 32);

	if (d->word == WORD_SHL)
		return by >= d->bits ? 0 : masked(args[0] << by, d->bits);
	if (by >= d->bits)
		by = d->kind == 's' ? d->bits - 1 : 64;
	if (d->kind == 's')
		return masked((uint64_t)(sign_extended(args[0], d->bits) >> by), d->bits);
	return by >= 64 ? 0 : masked(args[0], d->bits) >> by;
}

static uint64_t compute_field(const struct decoded *d, const uint64_t *args)
{
	unsigned at, bits;

	if (d->word == WORD_BFI) {
		at = (unsigned)args[2] & 63;
		bits = (unsigned)args[3] & 63;
		return (args[1] & ~(masked(UINT64_MAX, bits) << at)) | masked(args[0], bits) << at;
	}
	at = (unsigned)args[1] & 63;
	bits = (unsigned)args[2] & 63;
	if (!bits)
		return 0;
	if (d->kind == 's')
		return masked((uint64_t)sign_extended(args[0] >> at, bits), d->bits);
	return masked(masked(args[0], d->bits) >> at, bits);
}

static uint64_t compute_convert(const struct decoded *d, uint64_t x)
{
	if (d->kind2 == 'f' && d->kind == 'f')
		return from_real(as_real(x, d->bits2), d->bits);
	if (d->kind2 == 'f')
		return masked((uint64_t)(int64_t)as_real(x, d->bits2), d->bits);
	if (d->kind == 'f')
		return from_real((double)number(x, d->bits2, d->kind2), d->bits);
	return masked((uint64_t)number(x, d->bits2, d->kind2), d->bits < d->bits2 ? d->bits : 64);
}

static uint64_t compute_logic(unsigned table, const uint64_t *args)
{
	uint64_t out = 0;

	for (unsigned bit = 0; bit < 32; bit++) {
		unsigned index = (unsigned)((args[0] >> bit & 1) << 2 | (args[1] >> bit & 1) << 1 |
					    (args[2] >> bit & 1));

		out |= (uint64_t)(table >> index & 1) << bit;
	}
	return out;
}

static uint64_t compute_quotient(const struct decoded *d, __int128 a, __int128 b)
{
	if (!b)
		return masked(UINT64_MAX, d->bits);
	return masked((uint64_t)(d->word == WORD_DIV ? a / b : a % b), d->bits);
}

static unsigned reversed(unsigned x)
{
	unsigned out = 0;

	for (unsigned i = 0; i < 32; i++)
		out |= (x >> i & 1) << (31 - i);
	return out;
}

/* shf.l.wrap: the high word of (y:x) shifted left; shf.r the low word shifted right. */
static uint64_t compute_funnel(const char *opcode, const uint64_t *args)
{
	uint64_t both = masked(args[1], 32) << 32 | masked(args[0], 32);
	unsigned by = (unsigned)args[2] & 31;

	return has_part(opcode, "l") ? both << by >> 32 : masked(both >> by, 32);
}

uint64_t compute(const struct decoded *d, const char *opcode, const uint64_t *args, bool *known)
{
	__int128 a = number(args[0], d->bits, d->kind), b = number(args[1], d->bits, d->kind);

	if (d->word == WORD_CVT)
		return compute_convert(d, args[0]);
	if (d->kind == 'f')
		return compute_real(d, args);
	switch (d->word) {
	case WORD_ADD: return masked(args[0] + args[1], d->bits);
	case WORD_SUB: return masked(args[0] - args[1], d->bits);
	case WORD_MUL:
	case WORD_MUL24:
	case WORD_MAD: return compute_product(d, args);
	case WORD_DIV:
	case WORD_REM: return compute_quotient(d, a, b);
	case WORD_NEG: return masked(-args[0], d->bits);
	case WORD_ABS: return masked((uint64_t)(a < 0 ? -a : a), d->bits);
	case WORD_MIN: return masked((uint64_t)(a < b ? a : b), d->bits);
	case WORD_MAX: return masked((uint64_t)(a > b ? a : b), d->bits);
	case WORD_AND: return args[0] & args[1];
	case WORD_OR: return args[0] | args[1];
	case WORD_XOR: return args[0] ^ args[1];
	case WORD_NOT: return d->kind == 'p' ? !args[0] : masked(~args[0], d->bits);
	case WORD_SHL:
	case WORD_SHR: return compute_shift(d, args);
	case WORD_BFE:
	case WORD_BFI: return compute_field(d, args);
	case WORD_POPC: return (uint64_t)__builtin_popcountll(masked(args[0], d->bits));
	case WORD_CLZ: return args[0] ? (uint64_t)__builtin_clz((unsigned)args[0]) : 32;
	case WORD_BREV: return reversed((unsigned)args[0]);
	case WORD_SHF: return compute_funnel(opcode, args);
	case WORD_LOP3: return compute_logic((unsigned)args[3] & 255, args);
	default: *known = 0; return 0; /* the machine stops and says which */
	}
}
