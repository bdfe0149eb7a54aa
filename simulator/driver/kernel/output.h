/* What kernels print: kept by their context until the host synchronizes, then written to stdout.
 *
 * The texts of a context are a queue with room for the context's limit of bytes; a text that does
 * not fit takes the place of the oldest ones, as on a device. They are written by the process's
 * stdio, in order with what the program prints. Locks of its own: the driver's is not needed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sim_printed;

struct sim_output {
	struct sim_printed *first, *last; /* owned */
	size_t size_bytes;
	bool is_used; /* since the context began */
};

/* Adds a text to a queue with room for `most` bytes. */
void sim_output_add(struct sim_output *output, size_t most, const char *text, size_t bytes);

bool sim_output_is_used(struct sim_output *output);

/* Writes what is there; the driver's lock must not be held, because the program may hold stdio's.
 */
void sim_output_write(struct sim_output *output);

/* Drops what is there, at the context's end. */
void sim_output_end(struct sim_output *output);
