/* Comments: suppressions that stand in the program's source, at the line that they are about.
 *
 *	cudaMemcpyAsync(d, p, n, kind, s);	// streamcheck: ignore SC-105 both write zeros
 *
 *	// streamcheck: ignore SC-105, host-read-before-sync the check sum is compared later
 *	cudaMemcpyAsync(d, p, n, kind, s);
 *
 * A comment is about its own line; where nothing else stands on it, about the next line that is no
 * such comment. It hides findings with an operation that the user called there. Source files are
 * input from outside, named by the trace: only regular ones are read, each once.
 */
#pragma once

#include <stdio.h>
#include "cmds/judge/suppression.h"
#include "reports/sources/source.h"

/* Adds the comments of a source file as entries, unless that was done before. A file that cannot be
 * read has none; a comment that names no rule is warned of and hides nothing. */
void sc_comments_read(struct sc_suppressions *s, struct sc_sources *sources, const char *path);
/* False for a file that has no comments, or whose comments are entries already; it is read once. */
bool sc_comments_may_be_in(struct sc_suppressions *s, struct sc_sources *sources, const char *path);
/* Adds the comments of an open file; `path` is what places are compared with. */
void sc_comments_parse(struct sc_suppressions *s, const char *path, FILE *file);
void sc_comments_fini(struct sc_suppressions *s);
