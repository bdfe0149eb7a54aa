/* Loaded: a trace, analysed, its names and symbols at hand. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include "base/option.h"
#include "reports/report.h"
#include "reports/sources/source.h"
#include "reports/sources/variable.h"

struct sc_loaded {
	struct sc_reader *reader;     /* owned */
	struct sc_analysis *analysis; /* owned */
	struct sc_names names;
	struct sc_sources sources;
	struct sc_variable_names variables;
	struct sc_report report;
};

/* Reads and analyses a trace and looks up all stacks that its findings show. `is_own`: this run
 * recorded it, and it may lead to any source. Returns 0, or -errno after saying why; out of memory
 * ends the tool. */
int sc_loaded_open(struct sc_loaded *l, const char *path, const struct sc_options *o, bool is_own);
/* The same of a trace that is analysed already; takes over reader and analysis. */
void sc_loaded_take(struct sc_loaded *l, struct sc_reader *reader, struct sc_analysis *analysis,
		    const char *path, const struct sc_options *o, bool is_own);
/* The same, with what the comparison with other processes found out (borrowed until it is closed),
 * or with doubts of all queries (settings.is_unasked). */
struct sc_remarks {
	size_t count;
	const struct sc_remark *items;
	bool doubts_queries;
};
int sc_loaded_open_with(struct sc_loaded *l, const char *path, const struct sc_options *o,
			bool is_own, const struct sc_remarks *remarks);
/* Takes up the names of all streams and contexts, also if there are no findings to show. */
void sc_loaded_name_all(struct sc_loaded *l);
/* Says, before an answer about the trace, that it is not complete, if so. */
void sc_loaded_warn(const struct sc_loaded *l, const char *command, const char *path);
void sc_loaded_close(struct sc_loaded *l);
/* Settings of an analysis as the options say; without footprints files. */
struct sc_analysis_settings sc_loaded_settings(const struct sc_options *o);
/* The names of a trace that was read to its end, looked up where the options say; owned by the
 * caller. */
struct sc_symbols *sc_loaded_symbols(const struct sc_reader *reader, const char *path,
				     const struct sc_options *o);
/* Names every stack that reports of this finding may show. */
void sc_loaded_want(const struct sc_report *r, const struct sc_finding *f);
/* One more analysis of a trace, as the options say; owned by the caller. The watch may be NULL. */
struct sc_analysis *sc_loaded_analyse(struct sc_reader *r, const char *path,
				      const struct sc_options *o, const struct sc_watch *watch);
