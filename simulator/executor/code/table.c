/* The table of all instructions that run: finding the row of a key. */
#include "simulator/executor/code/table.h"

#include <string.h>

/* Does a key fit a pattern? */
static bool fits(const char *pattern, const char *key)
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

/* Of one list: the first row after `after`, which is in it or NULL. */
static const struct exec_row *find(const struct exec_rows *rows, const struct exec_key *key,
				   const struct exec_row *after)
{
	size_t first = after ? (size_t)(after - rows->rows) + 1 : 0;

	for (size_t i = first; i < rows->count; i++)
		if (!(key->demands & ~rows->rows[i].demands) &&
		    fits(rows->rows[i].pattern, key->text))
			return &rows->rows[i];
	return NULL;
}

static bool has(const struct exec_rows *rows, const struct exec_row *row)
{
	return row >= rows->rows && row < rows->rows + rows->count;
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

#define LISTS 22

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
	 &exec_texture_rows,                  \
	 &exec_surface_rows,                  \
	 &exec_cluster_rows,                  \
	 &exec_tensor_rows,                   \
	 &exec_sum_rows,                      \
	 &exec_video_rows,                    \
	 &EXEC_JOIN(exec_integer_rows, name), \
	 &EXEC_JOIN(exec_float_rows, name),   \
	 &EXEC_JOIN(exec_half_rows, name),    \
	 &EXEC_JOIN(exec_narrow_rows, name),  \
	 &EXEC_JOIN(exec_matrix_rows, name),  \
	 &EXEC_JOIN(exec_convert_rows, name), \
	 &EXEC_JOIN(exec_access_rows, name),  \
	 &EXEC_JOIN(exec_compare_rows, name)},
#include "simulator/executor/code/level.def"
#undef LEVEL
	};

	return lists[level()][index];
}

const struct exec_row *exec_table_find(const struct exec_key *key, const struct exec_row *row)
{
	const struct exec_row *found = NULL;
	size_t i = 0;

	while (row && i < LISTS && !has(list(i), row))
		i++;
	for (; !found && i < LISTS; i++) {
		found = find(list(i), key, row);
		row = NULL;
	}
	return found;
}
