/* The table of all instructions that run: finding the row of a key. */
#include "simulator/executor/code/table.h"

#include <ctype.h>
#include <pthread.h>
#include <string.h>

#include "base/heap.h"

/* Does a key fit a pattern? */
static bool fits_exactly(const char *pattern, const char *key)
{
	for (; *pattern; key++) {
		const char *end;

		if (!*key)
			return 0;
		if (*pattern != '[') {
			if (*pattern++ != *key)
				return 0;
			continue;
		}
		end = strchr(pattern, ']');
		if (!memchr(pattern + 1, *key, (size_t)(end - pattern - 1)))
			return 0;
		pattern = end + 1;
	}
	return !*key;
}

/* Parts of an opcode in a text of `key` or `pattern`. */
#define PARTS_MOST 16

struct part {
	const char *text;
	size_t bytes;
};

/* 0: they are too many. */
static size_t split(const char *text, struct part *parts)
{
	size_t count = 0;

	for (; *text; text += *text == '.') {
		if (count == PARTS_MOST)
			return 0;
		parts[count] = (struct part){text, strcspn(text, ".")};
		text += parts[count++].bytes;
	}
	return count;
}

/* Parts whose order has a meaning among their like: types, also those with alternatives, and
 * layouts. */
enum order { FREE, OF_TYPES, OF_LAYOUTS, ORDERS };

static enum order order_of(struct part p)
{
	const char *digit = p.text + (p.bytes && *p.text == '[' ? strcspn(p.text, "]") : 0) + 1;

	if (p.bytes >= 3 &&
	    (!memcmp(p.text, "row", 3) || !memcmp(p.text, "col", 3) || !memcmp(p.text, "[rc]", 3)))
		return OF_LAYOUTS;
	if (p.bytes >= 4 && !memcmp(p.text, "tf32", 4))
		return OF_TYPES;
	digit += p.bytes > 2 && !memcmp(p.text, "bf", 2);
	return p.bytes > 1 && strchr("[usbfe", *p.text) && digit < p.text + p.bytes &&
			       isdigit((unsigned char)*digit) &&
			       isdigit((unsigned char)p.text[p.bytes - 1])
		       ? OF_TYPES
		       : FREE;
}

static bool fits_part(struct part pattern, struct part key)
{
	const char *at = pattern.text, *end = at + pattern.bytes;

	for (size_t i = 0; i < key.bytes; i++) {
		const char *close =
			at < end && *at == '[' ? memchr(at, ']', (size_t)(end - at)) : NULL;

		if (at == end || (close ? !memchr(at + 1, key.text[i], (size_t)(close - at - 1))
					: *at != key.text[i]))
			return 0;
		at = close ? close + 1 : at + 1;
	}
	return at == end;
}

/* The same with parts in any order but that of types, and that of layouts. */
static bool fits_in_any_order(const char *pattern, const char *key)
{
	struct part parts[PARTS_MOST], others[PARTS_MOST];
	size_t count = split(pattern, parts), next[ORDERS] = {1, 1, 1};
	bool is_taken[PARTS_MOST] = {0};

	if (!count || split(key, others) != count || !fits_part(parts[0], others[0]))
		return 0;
	for (size_t i = 1; i < count; i++) {
		enum order order = order_of(others[i]);
		size_t k = next[order];

		while (k < count && (is_taken[k] || order_of(parts[k]) != order ||
				     !fits_part(parts[k], others[i]))) {
			if (order != FREE && order_of(parts[k]) == order)
				return 0; /* it is not the next of its like */
			k++;
		}
		if (k == count)
			return 0;
		is_taken[k] = 1;
		next[order] = order == FREE ? 1 : k + 1;
	}
	return 1;
}

static bool fits(const char *pattern, const struct exec_key *key)
{
	return key->has_any_order ? fits_in_any_order(pattern, key->text)
				  : fits_exactly(pattern, key->text);
}

enum level {
#define LEVEL(name) LEVEL_##name,
#include "simulator/executor/code/level.def"
#undef LEVEL
};

static enum level level(void)
{
#ifdef EXEC_HAS_AVX2
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return LEVEL_avx2;
#endif
	return LEVEL_portable;
}

#define LISTS 25

static const struct exec_rows *list(size_t index)
{
	static const struct exec_rows *const lists[][LISTS] = {
#define LEVEL(name)                           \
	{&exec_control_rows,                  \
	 &exec_stack_rows,                    \
	 &exec_warp_rows,                     \
	 &exec_atomic_rows,                   \
	 &exec_carry_rows,                    \
	 &exec_tile_rows,                     \
	 &exec_async_rows,                    \
	 &exec_vote_rows,                     \
	 &exec_surface_rows,                  \
	 &exec_cluster_rows,                  \
	 &exec_tensor_rows,                   \
	 &exec_sum_rows,                      \
	 &exec_video_rows,                    \
	 &exec_move_rows,                     \
	 &EXEC_JOIN(exec_integer_rows, name), \
	 &EXEC_JOIN(exec_float_rows, name),   \
	 &EXEC_JOIN(exec_rounded_rows, name), \
	 &EXEC_JOIN(exec_half_rows, name),    \
	 &EXEC_JOIN(exec_narrow_rows, name),  \
	 &EXEC_JOIN(exec_matrix_rows, name),  \
	 &EXEC_JOIN(exec_texture_rows, name), \
	 &EXEC_JOIN(exec_convert_rows, name), \
	 &EXEC_JOIN(exec_vector_rows, name),  \
	 &EXEC_JOIN(exec_access_rows, name),  \
	 &EXEC_JOIN(exec_compare_rows, name)},
#include "simulator/executor/code/level.def"
#undef LEVEL
	};

	return lists[level()][index];
}

/* All rows by their opcodes: an instruction is looked for among those of its bucket, which are in
 * the order of the lists. */
#define BUCKETS 256

static struct {
	const struct exec_row **rows;
	size_t first[BUCKETS + 1];
} sorted;

static size_t bucket_of(const char *text)
{
	uint32_t hash = 2166136261U;

	for (; *text && *text != '.'; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619U;
	return (hash >> 8 ^ hash) % BUCKETS;
}

/* Counts the rows of each bucket, or puts them to their places. */
static void visit(size_t *at, bool places)
{
	for (size_t i = 0; i < LISTS; i++)
		for (size_t k = 0; k < list(i)->count; k++) {
			const struct exec_row *row = &list(i)->rows[k];
			size_t *next = &at[bucket_of(row->pattern)];

			if (places)
				sorted.rows[*next] = row;
			++*next;
		}
}

static void sort(void)
{
	size_t at[BUCKETS] = {0}, count = 0;

	visit(at, 0);
	for (size_t b = 0; b < BUCKETS; b++) {
		sorted.first[b] = count;
		count += at[b];
		at[b] = sorted.first[b];
	}
	sorted.first[BUCKETS] = count;
	sorted.rows = sc_heap_xcalloc(count, sizeof(*sorted.rows));
	visit(at, 1);
}

const struct exec_row *exec_table_find(const struct exec_key *key, const struct exec_row *row)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t bucket = bucket_of(key->text), i;

	pthread_once(&once, sort);
	for (i = sorted.first[bucket]; row && sorted.rows[i] != row; i++)
		;
	for (i += row != NULL; i < sorted.first[bucket + 1]; i++)
		if (!(key->demands & ~sorted.rows[i]->demands) &&
		    fits(sorted.rows[i]->pattern, key))
			return sorted.rows[i];
	return NULL;
}
