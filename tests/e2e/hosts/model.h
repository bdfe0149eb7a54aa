/* A naive reading of the specification for random programs: what the host knows to have ended.
 *
 * Every operation is a bit. `reach` of a stream is what has ended when its next operation begins,
 * `known` what has ended for the host. Operations on host memory that are not known conflict with
 * the host's accesses to the same bytes (SC-101, SC-102, SC-103) and with the end of the memory
 * (SC-104). `is_armed` says of an operation that the page guard has to notice the next access. Of a
 * chain of ordered operations on the same bytes only the last has to be named: its race is theirs.
 *
 * A kernel is armed with all of its buffer: the first access to any of it decides whether it must
 * be noticed. A host function is an operation whose accesses are the host's: it may race with the
 * device, and what it touches is armed as its own from there on.
 */
#ifndef SC_TESTS_HOSTS_MODEL_H
#define SC_TESTS_HOSTS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_OPS 64

enum { BLOCKING, FREE, OTHER, LEGACY, STREAMS };

struct footprint {
	int buffer;
	uint64_t start, width, pitch, rows;
};

struct model_op {
	struct footprint at;
	uint64_t before; /* operations that end before it begins */
	int step;
	bool is_write; /* the device writes the host's memory */
	bool is_armed; /* protected pages, and no access so far */
	bool is_kernel;
	bool is_host; /* a host function */
};

struct model {
	uint64_t reach[STREAMS], known;
	struct model_op op[MODEL_OPS];
	int ops;
};

static inline bool model_is_full(const struct model *m)
{
	return m->ops > MODEL_OPS - 4;
}

/* An operation goes into a stream: a legacy stream's and a blocking one's wait for each other.
 * Prints its races with host functions, or a host function's with the device. */
void model_enqueue(struct model *m, int stream, struct model_op op);
/* The legacy stream's own wait covers the blocking streams too. */
void model_wait_stream(struct model *m, int stream);
void model_wait_all(struct model *m);
/* These print what the analysis may find, and what it must. */
void model_access(struct model *m, int step, struct footprint at, bool is_write);
void model_free(const struct model *m, int step, struct footprint at);

#endif
