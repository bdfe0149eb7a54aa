/* The device's printf: a format and packed arguments in the device's memory become a text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

#define EXEC_PRINT_MOST	     ((size_t)64 << 10) /* bytes of one text, or of one string */
#define EXEC_PRINT_ARGUMENTS 32			/* as on a device */

struct exec_print {
	bool (*read)(void *context, uint64_t address, void *to, size_t bytes);
	void *context;
	SC_VECTOR(char) text;
	int32_t result;	   /* arguments that it has used; -1: no format */
	uint64_t argument; /* address of the first argument */
	uint64_t offset;   /* of the next one from there */
};

/* Makes the text, as far as the memory can be read. */
void exec_print(struct exec_print *p, uint64_t format, uint64_t arguments);
void exec_print_fini(struct exec_print *p);
