/* Source statement: of Python from the whole file, of C from its first line on. */
#include "extensions/repair/patcher/source_statement.h"

#include "reports/words/call_text.h"
#include "reports/words/dialect.h"

bool sc_source_statement_open(struct sc_source_statement *at, struct sc_sources *s,
			      const struct sc_frame *frame)
{
	size_t number;

	*at = (struct sc_source_statement){.is_python = sc_dialect_is_python(frame->file)};
	if (!at->is_python)
		return sc_source_lines_read(&at->source, s, frame->file) &&
		       sc_call_text_read(&at->text, s, frame->file, frame->line);
	if (!sc_source_lines_read(&at->source, s, frame->file) ||
	    !sc_python_source_read(&at->lines, &at->source))
		return 0;
	number = sc_python_source_at(&at->lines, frame->line);
	if (!number)
		return 0;
	at->number = number - 1;
	sc_python_source_add(&at->text, &at->lines, at->number);
	return 1;
}

void sc_source_statement_close(struct sc_source_statement *at)
{
	sc_buf_fini(&at->text);
	sc_python_source_fini(&at->lines);
	sc_source_lines_fini(&at->source);
}
