/* Patched texts: the PTX of a module in which each instruction of a kind calls a function first.
 *
 * The function gets what the Sanitizer API documents for its kind, and what was seen on a GPU
 * (docs/dev/gpu.md): an atomic has no value, an asynchronous copy comes with its whole size, and
 * not at all if its source is empty; copies by tensor maps and textures do not come. `data` is what
 * %envreg30 and %envreg31 hold. Of a store's value only that there is one is true: its address is
 * no memory, so that a patch that reads it fails. Lines stay where they are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define STANDIN_KINDS 64 /* of instructions, as the API numbers them */

/* For each kind the function that is called, or NULL. */
struct standin_patches {
	const char *function[STANDIN_KINDS];
};

/* The patched text, the caller's to free; NULL: there is no memory, or an instruction that a patch
 * should be called for is not known here. */
char *standin_patch(const struct standin_patches *patches, const char *text, size_t bytes,
		    size_t *patched_bytes);
