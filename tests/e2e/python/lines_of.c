/* The lines of all instructions of a code object, for a test that knows them better. */
#include "interposer/python/lines.h"

__attribute__((visibility("default"))) void
lines_of(const uint8_t *table, size_t bytes, int64_t first_line, uint32_t *lines, size_t count);

void lines_of(const uint8_t *table, size_t bytes, int64_t first_line, uint32_t *lines, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct sc_python_lines l = sc_python_lines_init(2 * i, first_line);

		for (size_t at = 0; at < bytes && !sc_python_lines_feed(&l, table + at, 1); at++)
			continue;
		lines[i] = (uint32_t)sc_python_lines_number(&l);
	}
}
