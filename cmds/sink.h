/* Sinks: the places where reports go, one for option output and one for each option report.
 *
 * A run of several processes has one report in formats that can hold several (text, gcc, github,
 * json), unless the file name differs from process to process; in other formats each process has a
 * file of its own.
 */
#ifndef SC_CMDS_SINK_H
#define SC_CMDS_SINK_H

#include "base/option.h"
#include "cmds/loaded.h"

struct sc_sink {
	const struct sc_report_ops *format;
	const char *pattern; /* file name, "-"; NULL: standard error */
	struct sc_buf joined;
	unsigned count; /* reports in `joined` */
};

struct sc_sinks {
	const struct sc_options *options; /* borrowed */
	struct sc_sink items[SC_OPTION_LIST_MAX + 1];
	unsigned count;
	unsigned traces;  /* how many are expected */
	unsigned written; /* how many were */
	_Bool has_failed; /* something could not be written; it was said */
};

void sc_sinks_init(struct sc_sinks *s, const struct sc_options *o, unsigned traces);
/* Reports one trace everywhere. */
void sc_sinks_write(struct sc_sinks *s, const struct sc_loaded *l);
/* Writes what was joined, behind the summary of all processes. */
void sc_sinks_finish(struct sc_sinks *s, const char *summary);

#endif
