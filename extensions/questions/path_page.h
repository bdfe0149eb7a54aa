/* Path page: paths of edges through a run, drawn as a page for browsers.
 *
 * Each operation is a point in the lane of its stream, or of its host thread, in the order of the
 * trace from the top down; arrows are the edges of the path. The page loads nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/vector.h"

struct sc_path_point {
	struct sc_buf text;  /* owned: what it is */
	struct sc_buf place; /* owned: where it was called, or empty */
	struct sc_buf lane;  /* owned: its stream or thread */
	const char *rule; /* by which it comes after the point before; NULL: nothing leads to it */
	const char *why;
};

struct sc_path_drawing {
	SC_VECTOR(struct sc_path_point) points;
};

void sc_path_page_begin(struct sc_buf *out, const char *title);
void sc_path_page_add(struct sc_buf *out, const char *verdict, const struct sc_path_drawing *path);
/* A paragraph. */
void sc_path_page_note(struct sc_buf *out, const char *text);
void sc_path_page_end(struct sc_buf *out);
/* Adds a point, to be filled. */
struct sc_path_point *sc_path_point_add(struct sc_path_drawing *path);
void sc_path_drawing_fini(struct sc_path_drawing *path);
