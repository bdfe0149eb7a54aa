// A function for each row of ROWS, and TABLE, which lists them.
#pragma once

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
