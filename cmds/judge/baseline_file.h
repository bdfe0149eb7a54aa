/* Known: the baseline, a file of the findings that were there before.
 *
 *	# streamcheck baseline 1
 *	0123456789abcdef SC-101 host-read-before-sync main.cu:40
 *
 * A finding is known by its fingerprint (reports/fingerprint.h), which survives line shifts and
 * rebuilds; what stands after it is for readers. The number in the first line is the version of
 * the fingerprints. Files are input from outside.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/map.h"

struct sc_knowns {
	struct sc_u64_map findings; /* fingerprint to 1, or 2 once it occurred */
	size_t count;
	size_t matched;
};

/* Reads a baseline. Returns 0 or -errno with a message that names file and line. */
int sc_known_read(struct sc_knowns *k, const char *path, char *message, size_t bytes);
int sc_known_parse(struct sc_knowns *k, const char *name, const char *text, char *message,
		   size_t bytes);
void sc_known_fini(struct sc_knowns *k);
/* True if the baseline has the finding; remembers that the finding occurred. */
bool sc_known_match(struct sc_knowns *k, uint64_t fingerprint);
/* Appends the first lines of a new baseline. */
void sc_known_print_head(struct sc_buf *out);
