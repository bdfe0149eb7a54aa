/* The kernels to which recording is restricted (option record-kernels): a text of one mangled name
 * a line; empty lines and those that begin with '#' say nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* An empty one is all zero, and has every kernel. */
struct sc_kernel_list {
	const char **names; /* sorted; in the text */
	size_t count;
	bool is_restricted;
};

/* Takes the names of `text`, which it cuts up and keeps; `room` is for as many names as the text
 * has lines. */
void sc_kernel_list_read(struct sc_kernel_list *list, char *text, const char **room);
bool sc_kernel_list_has(const struct sc_kernel_list *list, const char *name);
/* Takes the names in a file, which must be shorter than a MiB; false: it cannot be read, and
 * nothing has changed. */
bool sc_kernel_list_open(struct sc_kernel_list *list, const char *path);
/* True if the machine code may have one of the kernels: a section of it has the name's. */
bool sc_kernel_list_meets(const struct sc_kernel_list *list, const char *cubin, size_t bytes);
