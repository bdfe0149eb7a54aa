// A function for each row of ROWS, and TABLE, which lists them.
#ifndef SC_TESTS_PLACE_TABLE_H
#define SC_TESTS_PLACE_TABLE_H

#define PLACE(name, condition)          \
	static bool use_##name(char *p) \
	{                               \
		return condition;       \
	}
#include ROWS
#undef PLACE

static const struct place rows[] = {
#define PLACE(name, condition) {#name, use_##name},
#include ROWS
#undef PLACE
};

const struct places TABLE = {rows, sizeof(rows) / sizeof(rows[0])};

#endif
