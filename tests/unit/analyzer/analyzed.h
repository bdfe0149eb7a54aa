/* Analyzed: a trace in the text form, with its analysis. To be included after cmocka.h. */
#pragma once

#include <string.h>
#include "analyzer/analysis.h"
#include "trace/text/text.h"

struct run {
	struct sc_text_script script;
	struct sc_reader *reader;
	struct sc_analysis *analysis;
};

static inline struct run run_with(const char *text, const struct sc_analysis_settings *settings)
{
	struct run run = {0};
	char message[200] = "";

	assert_int_equal(sc_text_parse(&run.script, text, strlen(text), message, sizeof(message)),
			 0);
	assert_int_equal(sc_reader_open_memory(&run.reader, run.script.trace, run.script.bytes,
					       message, sizeof(message)),
			 0);
	assert_int_equal(sc_analysis_run(&run.analysis, run.reader, settings), 0);
	return run;
}

static inline void run_fini(struct run *run)
{
	sc_analysis_free(run->analysis);
	sc_reader_free(run->reader);
	sc_text_script_fini(&run->script);
}
