/* The HTML report's inside: what its parts share while one report is made.
 *
 * A page carries the JSON report of each process and, beside it, what only the page needs:
 * drawings, the time line, source lines. The script in assets/ turns both into a page; nothing of
 * them ever becomes markup.
 */
#pragma once

#include <stdbool.h>
#include "reports/json_pool.h"
#include "reports/html/html_source.h"
#include "reports/html/html_walk.h"
#include "reports/json_report.h"
#include "reports/words/words.h"

/* What a report shows at most, shared by its processes. */
#define SC_HTML_OPS	 120000	     /* on the time lines */
#define SC_HTML_FINDINGS 20000	     /* the worst come first */
#define SC_HTML_DRAWINGS 5000	     /* of the first findings */
#define SC_HTML_RANGES	 20000	     /* of the program's own */
#define SC_HTML_EXCERPTS (640 << 10) /* bytes of source */

/* Of what the processes of a run have together. */
#define SC_HTML_TOGETHER_FINDINGS 500 /* the worst come first */
#define SC_HTML_TOGETHER_ROWS	  100 /* of the matrix of findings by rank */

/* Of a run of many processes (SC_JOINT_PROCESSES_MOST) so many are shown in full, the first ones,
 * and those that have a finding that none of these has; all are in what the processes have
 * together. */
#define SC_HTML_PROCESSES_PLAIN 8

struct sc_html {
	const struct sc_report_style *style;
	struct sc_report report; /* with `names` of its own, those of the whole trace */
	struct sc_names names;
	struct sc_words words;
	struct sc_html_walk walk;
	struct sc_json_pool stacks, shapes, ranges; /* shapes: what ops look like */
	struct sc_html_source source;
	size_t drawings_most, ranges_most;
	struct sc_json_scope scope; /* of the JSON report */
	struct sc_joint *joint;	    /* borrowed */
	struct sc_buf json;	    /* what `w` writes */
	struct sc_json w;
	struct sc_buf phrase; /* the text under construction */
};

/* Appends to the phrase the line from which an op came; nothing if it is not known. */
void sc_html_add_place(struct sc_html *h, const struct sc_op *op);
/* The items of a pool as an array. */
void sc_html_put_pool(struct sc_html *h, const char *key, const struct sc_json_pool *pool);

/* The parts of the data beside the JSON report. */
void sc_html_put_drawings(struct sc_html *h);
void sc_html_put_run(struct sc_html *h); /* lanes, and words for the run */
void sc_html_put_ops(struct sc_html *h); /* the overview time line */
void sc_html_put_ranges(struct sc_html *h);
