/* Sinks: the places where reports go, one for option output and one for each option report.
 *
 * A run of several processes has one report, unless the file name differs from process to process.
 * Where each process is reported by itself, the second to write a file gets a name of its own.
 * Beside a text report with findings lies one in HTML, if option html allows it; the HTML
 * report is a convenience: where it cannot be written, the run does not fail.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/option.h"
#include "base/run_start.h"
#include "base/vector.h"
#include "cmds/check/loaded.h"
#include "reports/many/summary.h"

struct sc_sink {
	const struct sc_report_ops *format;
	const char *pattern;   /* file name, "-"; NULL: standard error */
	struct sc_joint joint; /* of reports that share this place */
	bool is_beside;	       /* the HTML that goes with a text report, if that has findings */
	bool is_in_folder;     /* its place is there (cmds/files/folder.h) */
	bool has_findings;
};

struct sc_sinks {
	const struct sc_options *options; /* borrowed */
	struct sc_sink items[SC_OPTION_LIST_MAX + 3];
	char beside[SC_OPTION_TEXT_BYTES + 8]; /* file name of the HTML */
	unsigned count;
	unsigned traces;	   /* how many are expected */
	unsigned refresh_s;	   /* the program still runs: see struct sc_report_style */
	struct sc_run_start run;   /* whose files stay; began 0: not known, none */
	SC_VECTOR(char *) written; /* owned: names of files */
	bool used_folder;	   /* a report was put there */
	bool has_failed;	   /* something could not be written; was reported */
};

/* Before a program runs: what cannot be written ends the tool with a sentence. */
void sc_sinks_check(const struct sc_options *o);
void sc_sinks_init(struct sc_sinks *s, const struct sc_options *o, unsigned traces);
/* Ends the tool with a sentence if a format cannot show findings that were read from summaries. */
void sc_sinks_check_summaries(const struct sc_sinks *s);
/* The run whose files stay, or NULL. */
static inline const struct sc_run_start *sc_sinks_keep(const struct sc_sinks *s)
{
	return s->run.began ? &s->run : NULL;
}
/* Reports one trace everywhere. */
void sc_sinks_write(struct sc_sinks *s, const struct sc_loaded *l);
/* Writes what was joined, after the summary of all processes. */
void sc_sinks_finish(struct sc_sinks *s, const struct sc_summary *all, const char *summary);
