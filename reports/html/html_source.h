/* Excerpts: the source lines that the HTML report carries with it, each once.
 *
 * Files may be missing, huge or no text; what cannot be read is simply not shown. A budget bounds
 * the whole, so that a report stays small.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/symbol/symbol.h"
#include "base/vector.h"
#include "reports/json_pool.h"
#include "reports/json_writer.h"

struct sc_sources;

struct sc_html_line {
	size_t start; /* in the file's text */
	size_t bytes;
	bool is_wanted;
};

struct sc_html_file {
	const char *path; /* borrowed from the symbols */
	bool is_newer;	  /* than the program: its lines may have moved */
	char *text;	  /* owned; NULL if it cannot be read */
	size_t bytes;
	SC_VECTOR(struct sc_html_line) lines;
};

/* Empty is all zero but `most` and `sources`. */
struct sc_html_source {
	struct sc_sources *sources; /* borrowed */
	SC_VECTOR(struct sc_html_file) files;
	struct sc_json_pool paths; /* in the order of the files */
	size_t used;		   /* bytes of excerpts so far */
	size_t most;		   /* bytes of all excerpts together */
	bool is_cut;		   /* something was left out because of the budget */
};

void sc_html_source_fini(struct sc_html_source *s);
/* Asks for the line of a frame and `around` lines on each side of it. */
void sc_html_source_want(struct sc_html_source *s, const struct sc_frame *frame, unsigned around);
/* Puts an array of [path, [number, "text", number, "text", …], whether it is newer]. */
void sc_html_source_put(struct sc_json *w, const char *key, const struct sc_html_source *s);
