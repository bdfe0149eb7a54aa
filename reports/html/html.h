/* The HTML report's inside: what its parts share while one report is made.
 *
 * A page carries the JSON report of each process and, beside it, what only the page needs:
 * drawings, the time line, source lines. The script in assets/ turns both into a page; nothing of
 * them ever becomes markup.
 */
#ifndef SC_REPORTS_HTML_HTML_HTML_H
#define SC_REPORTS_HTML_HTML_HTML_H

#include <stdbool.h>
#include "reports/fingerprint.h"
#include "reports/html/html_pool.h"
#include "reports/html/html_source.h"
#include "reports/html/html_walk.h"
#include "reports/json_writer.h"
#include "reports/words/words.h"

/* What a report shows at most, shared by its processes. */
#define SC_HTML_OPS	 120000	     /* on the time lines */
#define SC_HTML_FINDINGS 20000	     /* the worst come first */
#define SC_HTML_DRAWINGS 5000	     /* of the first findings */
#define SC_HTML_RANGES	 20000	     /* of the program's own */
#define SC_HTML_EXCERPTS (640 << 10) /* bytes of source */

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
	struct sc_html_pool shapes, ranges; /* what ops look like; names of ranges */
	struct sc_html_source source;
	size_t findings_most, drawings_most, ranges_most;
	struct sc_joint *joint; /* borrowed: counts the findings of the run, equal ones once */
	struct sc_buf json;	/* what `w` writes */
	struct sc_json w;
	struct sc_buf phrase; /* the text under construction */
};

/* The phrase under a key, and empties it; null if it is empty. */
void sc_html_put_phrase(struct sc_html *h, const char *key);
/* The items of a pool as an array. */
void sc_html_put_pool(struct sc_html *h, const char *key, const struct sc_html_pool *pool);

/* How many findings there are: advice, warnings, errors, and the proven ones of these. */
void sc_html_put_counts(struct sc_json *w, const uint64_t counts[SC_JOINT_COUNTS]);
/* Takes the findings of a process as findings of the run, in which equal ones are one; true if one
 * of them is new there. */
bool sc_html_count_in_run(struct sc_joint *j, const struct sc_report *r,
			  const struct sc_fingerprints *prints);
/* What the processes of a run have together (html_together.c): null if the script can tell by the
 * processes, all of which are there. */
void sc_html_put_together(struct sc_json *w, const struct sc_joint *joint);
/* The findings of the run, also those of which there is a summary only. */
void sc_html_count_all(uint64_t counts[SC_JOINT_COUNTS], const struct sc_joint *joint);
/* The parts of the data beside the JSON report. */
void sc_html_put_findings(struct sc_html *h); /* drawings, and the source lines of all */
void sc_html_put_run(struct sc_html *h);      /* lanes, and words for the run */
void sc_html_put_ops(struct sc_html *h);      /* the overview time line */
void sc_html_put_ranges(struct sc_html *h);

#endif
