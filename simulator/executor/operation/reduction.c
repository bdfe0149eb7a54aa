/* Reductions of bulk copies, element by element. */
#include "simulator/executor/operation/reduction.h"

#include "ptx/isa.h"
#include "simulator/executor/operation/half.h"

static float single_of(uint64_t bits, unsigned type)
{
	return type == SC_TYPE_F16    ? exec_single_of_half((uint16_t)bits)
	       : type == SC_TYPE_BF16 ? exec_single_of_brain((uint16_t)bits)
				      : exec_float_of((uint32_t)bits);
}

static uint64_t bits_of(float value, unsigned type)
{
	return type == SC_TYPE_F16    ? exec_half_of_single(value)
	       : type == SC_TYPE_BF16 ? exec_brain_of_single(value)
				      : exec_bits_of(exec_canonical(value));
}

static uint64_t reduced_float(enum exec_reduction r, unsigned type, uint64_t old, uint64_t a)
{
	float x = single_of(old, type), y = single_of(a, type);

	return bits_of(r == EXEC_REDUCTION_ADD	 ? x + y
		       : r == EXEC_REDUCTION_MIN ? exec_smaller(x, y)
						 : exec_larger(x, y),
		       type);
}

static bool is_less(unsigned type, uint64_t a, uint64_t b)
{
	if (type == SC_TYPE_S32)
		return (int32_t)a < (int32_t)b;
	return type == SC_TYPE_S64 ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t reduced(enum exec_reduction r, unsigned type, uint64_t old, uint64_t a)
{
	double x, y;

	if (type == SC_TYPE_F16 || type == SC_TYPE_BF16 || type == SC_TYPE_F32)
		return reduced_float(r, type, old, a);
	if (type == SC_TYPE_F64) {
		memcpy(&x, &old, sizeof(x));
		memcpy(&y, &a, sizeof(y));
		x += y;
		memcpy(&old, &x, sizeof(old));
		return old;
	}
	switch (r) {
	case EXEC_REDUCTION_ADD: return old + a;
	case EXEC_REDUCTION_MIN: return is_less(type, a, old) ? a : old;
	case EXEC_REDUCTION_MAX: return is_less(type, old, a) ? a : old;
	case EXEC_REDUCTION_INC: return old >= a ? 0 : old + 1;
	case EXEC_REDUCTION_DEC: return !old || old > a ? a : old - 1;
	case EXEC_REDUCTION_AND: return old & a;
	case EXEC_REDUCTION_OR: return old | a;
	case EXEC_REDUCTION_XOR: return old ^ a;
	case EXEC_NO_REDUCTION: break;
	}
	return a;
}

/* Which ones there are: of bits for integers, the smaller and the larger not of 32 and 64 bits of
 * floating point, counts of 32 bits only, of signed 64 bits the smaller and the larger only. */
bool exec_is_reduction(enum exec_reduction r, unsigned type)
{
	bool is_wide_float = type == SC_TYPE_F32 || type == SC_TYPE_F64;
	bool is_float = is_wide_float || type == SC_TYPE_F16 || type == SC_TYPE_BF16;
	unsigned bits = sc_type_bits(type);

	if (is_float)
		return r == EXEC_REDUCTION_ADD ||
		       (!is_wide_float && (r == EXEC_REDUCTION_MIN || r == EXEC_REDUCTION_MAX));
	if (r == EXEC_REDUCTION_INC || r == EXEC_REDUCTION_DEC)
		return type == SC_TYPE_U32;
	if (type == SC_TYPE_S64)
		return r == EXEC_REDUCTION_MIN || r == EXEC_REDUCTION_MAX;
	return bits == 32 || bits == 64;
}

#define REDUCE(T)                                                                               \
	do {                                                                                    \
		T seen = __atomic_load_n((T *)(void *)to, __ATOMIC_RELAXED), a, next;           \
		memcpy(&a, from, sizeof(a));                                                    \
		do                                                                              \
			next = (T)(flushes ? flushed_sum(seen, a) : reduced(r, type, seen, a)); \
		while (!__atomic_compare_exchange_n((T *)(void *)to, &seen, next, 0,            \
						    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));       \
	} while (0)

static uint64_t flushed_sum(uint64_t old, uint64_t a)
{
	float x = exec_flush(exec_float_of((uint32_t)old)),
	      y = exec_flush(exec_float_of((uint32_t)a));

	return exec_bits_of(exec_flush(exec_canonical(x + y)));
}

void exec_reduce(char *to, const char *from, enum exec_reduction r, unsigned type, bool flushes)
{
	unsigned bits = sc_type_bits(type);

	if (bits == 16)
		REDUCE(uint16_t);
	else if (bits == 32)
		REDUCE(uint32_t);
	else
		REDUCE(uint64_t);
}
