/* Reports: analysed traces turned into bytes, in one of several formats.
 *
 * A format takes one process after the other and then makes the report of all
 * (reports/many/joint.h); it writes nowhere itself, so a report is written whole or not at all
 * (reports/output.h). The same input gives the same bytes.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/analysis.h"
#include "analyzer/symbol/symbol.h"
#include "base/buf.h"
#include "reports/many/joint.h"
#include "reports/sources/names.h"
#include "trace/reader.h"

struct sc_options;
struct sc_sources;
struct sc_trial;
struct sc_variable_names;
struct sc_verified;

/* What is known of a plan of repair for the findings of a report. */
struct sc_repair_note {
	size_t findings; /* but advice */
	size_t edits;	 /* 0: no plan was made, the trace is too long for that */
	size_t ended;	 /* findings that the edits end */
};

/* A finding that is counted, but not reported. */
struct sc_hidden {
	struct sc_finding finding;
	uint64_t fingerprint;
	const char *reason; /* of its suppression; NULL: of another cause */
	const char *filter; /* option that hides it; neither: it is known from the baseline */
	bool is_in_source;  /* the program itself says so: a comment, a call of the header */
};

/* What a report is made of; everything is borrowed for the call. */
struct sc_report {
	const struct sc_analysis *analysis;
	struct sc_reader *reader; /* formats may walk it, from its start */
	const char *trace;	  /* file in which the trace is kept; NULL: it is not */
	const struct sc_names *names;
	struct sc_symbols *symbols;
	struct sc_sources *sources;	     /* NULL: none is read */
	struct sc_variable_names *variables; /* NULL: none is named (reports/sources/variable.h) */
	const struct sc_hidden *hidden;	     /* in order */
	size_t hidden_count;
	const struct sc_trial *trials; /* one for each finding, or NULL */
	size_t trial_count;
	const struct sc_verified *verified;  /* of the whole run; NULL: it verifies no other */
	const struct sc_repair_note *repair; /* NULL: nothing is to be said */
	const char *config;		     /* file that options were read from; NULL: none */
	const char **config_options;	     /* owned: names of those that it set */
	size_t config_option_count;
	const char *command;	   /* of the run, as a shell takes it; NULL: not known */
	const char *trace_options; /* options to analyze the trace as here; NULL: none */
	/* Appends the suppression that hides a finding and its likes; NULL: none can be written. */
	void (*print_suppression)(struct sc_buf *out, const struct sc_report *r,
				  const struct sc_finding *f, const struct sc_options *o);
	const struct sc_options *options; /* for the suppression */
};

/* How many findings are hidden, and why. */
struct sc_hidden_counts {
	size_t suppressed, known, filtered;
};
struct sc_hidden_counts sc_report_hidden(const struct sc_report *r);

/* How a report may look where it goes; formats for programs ignore it. */
struct sc_report_style {
	bool color;
	bool is_whole;	       /* the text shows each finding, and all of it */
	unsigned width;	       /* columns of the terminal; 0 = lines are not broken */
	const char *directory; /* paths below it are shown relative to it; NULL = none */
	bool requires_work;    /* option require-cuda: a run without work is an error */
	const char *links;     /* option html-links; NULL = none */
	unsigned refresh_s;    /* the page of a program that runs loads itself anew; 0 = never */
};

struct sc_report_ops {
	const char *name; /* word of option `format` */
	const char *help;
	/* Takes the report of one process. */
	void (*add)(struct sc_joint *j, const struct sc_report *r,
		    const struct sc_report_style *style);
	/* Appends the report of all that were taken. */
	void (*finish)(struct sc_buf *out, const struct sc_joint *j);
	bool shows_summaries; /* also of processes without a trace (reports/many/summary.h) */
};

/* Takes the report of the next process. */
void sc_report_add(const struct sc_report_ops *format, struct sc_joint *j,
		   const struct sc_report *r, const struct sc_report_style *style);
/* Appends the report of one process alone. */
void sc_report_print(const struct sc_report_ops *format, struct sc_buf *out,
		     const struct sc_report *r, const struct sc_report_style *style);

/* Appends one finding as one line: its place, how bad it is, what it is, its rule. `directory` as
 * in the style. */
void sc_report_line(struct sc_buf *out, const struct sc_report *r, const struct sc_finding *f,
		    const char *directory);

/* Row of a format name of `bytes` characters, or NULL. */
const struct sc_report_ops *sc_report_find(const char *name, size_t bytes);
/* Number of formats, and the row of a value of option `format`. */
size_t sc_report_count(void);
const struct sc_report_ops *sc_report_at(size_t index);

#define SC_REPORT(id, name, add, finish, shows_summaries, help) \
	void add(struct sc_joint *j, const struct sc_report *r, \
		 const struct sc_report_style *style);          \
	void finish(struct sc_buf *out, const struct sc_joint *j);
#include "reports/report.def"
#undef SC_REPORT
