/* C stream: the statement with one argument changed, its comments kept. */
#include "extensions/repair/patcher/c_stream.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include "extensions/repair/patcher/c_spot.h"
#include "reports/words/call_text.h"
#include "reports/sources/source_scope.h"

/* The lines as they are; false if one but the last has a comment, whose brackets would count. */
static bool read_lines(struct sc_buf *out, const struct sc_c_spot *s)
{
	for (unsigned line = s->begin; line <= s->end; line++) {
		const char *text = s->file->source.lines.items[line - 1];

		if (strstr(text, "/*") || (line < s->end && strstr(text, "//")))
			return 0;
		sc_buf_printf(out, "%s%s", text, line < s->end ? "\n" : "");
	}
	return 1;
}

static const char *change(const struct sc_c_spot *then, const char *stream)
{
	struct sc_buf old = {0}, new = {0};
	const char *reason = "the source does not show its stream as an argument";

	if (read_lines(&old, then) && sc_call_text_set_stream(&new, sc_buf_text(&old), stream)) {
		sc_diff_remove(then->file, then->begin, then->end);
		sc_diff_insert(then->file, then->begin, UINT_MAX, sc_buf_text(&new));
		reason = NULL;
	}
	sc_buf_fini(&old);
	sc_buf_fini(&new);
	return reason;
}

const char *sc_c_stream_write(struct sc_diff *d, const struct sc_edit_text *t)
{
	struct sc_c_spot then;
	const char *reason = sc_c_spot_find_after(&then, d, &t->then);

	if (reason)
		return reason;
	if (!sc_edit_text_is_one_function(t) ||
	    !sc_source_scope_is_same(&then.file->source, sc_buf_text(&t->stream),
				     t->first.frame->line, then.begin))
		return "its stream may not be known at its line, or be another one there";
	return change(&then, t->stream.text);
}
