/* C edits: lines around whole statements. */
#include "extensions/repair/patcher/c_edit.h"

#include <stdbool.h>
#include <string.h>
#include "extensions/repair/patcher/c_each.h"
#include "extensions/repair/patcher/c_event.h"
#include "extensions/repair/patcher/c_spot.h"
#include "extensions/repair/patcher/c_stream.h"
#include "reports/words/call_text.h"

/* A dependency of nodes that calls make. Its call has one argument more since CUDA 13. */
static const char *write_dependency(struct sc_diff *d, const struct sc_edit_text *t)
{
	static const char data[] = "NULL, ";
	const char *code = sc_buf_text(&t->then.code), *at = strstr(code, data);
	struct sc_c_spot first, then;
	struct sc_buf old = {0};
	const char *reason = sc_c_spot_find_after(&first, d, &t->first);

	reason = reason ? reason : sc_c_spot_find_after(&then, d, &t->then);
	if (reason)
		return reason;
	first.file = sc_diff_open(d, t->first.frame->file);
	if (!at || !sc_edit_text_is_one_function(t) || first.end >= then.begin ||
	    !sc_source_lines_are_beside(&then.file->source, first.end + 1, then.begin))
		return "what it names may not be known at its line";
	sc_buf_add_bytes(&old, code, (size_t)(at - code));
	sc_buf_add(&old, at + strlen(data));
	sc_c_spot_put_after(&then, sc_dialect_is_driver(t->dialect)
					   ? "#if CUDA_VERSION >= 13000"
					   : "#if CUDART_VERSION >= 13000");
	sc_c_spot_put_after(&then, code);
	sc_c_spot_put_after(&then, "#else");
	sc_c_spot_put_after(&then, old.text);
	sc_c_spot_put_after(&then, "#endif");
	sc_buf_fini(&old);
	return NULL;
}

/* Names that the one line uses are known at the other if both are in one function, and none of them
 * can stand for something else in each round of a loop. */
static bool is_known_there(const struct sc_edit_text *t, const char *code)
{
	if (sc_edit_text_is_one_function(t))
		return !strpbrk(code, "[]<>");
	return !strcmp(code, "cudaStreamSynchronize(0);");
}

static const char *write_wait(struct sc_diff *d, const struct sc_edit_text *t)
{
	struct sc_c_spot then;
	const char *reason = sc_c_spot_find(&then, d, &t->then);

	if (reason)
		return reason;
	if (!is_known_there(t, t->then.code.text))
		return "what it names may not be known at its line";
	sc_c_spot_put_before(&then, t->then.code.text);
	return NULL;
}

static const char *write_device(struct sc_diff *d, const struct sc_edit_text *t)
{
	struct sc_c_spot then;
	const char *reason = sc_c_spot_find(&then, d, &t->then);

	if (!reason)
		sc_c_spot_put_before(&then, t->then.code.text);
	return reason;
}

static const char *write_after(struct sc_diff *d, const struct sc_edit_text *t)
{
	struct sc_c_spot first;
	const char *reason = sc_c_spot_find_after(&first, d, &t->first);

	if (!reason)
		sc_c_spot_put_after(&first, t->first.code.text);
	return reason;
}

static const char *write_move(struct sc_diff *d, const struct sc_edit_text *t)
{
	struct sc_c_spot first, then;
	const char *reason = sc_c_spot_find_after(&first, d, &t->first);

	reason = reason ? reason : sc_c_spot_find_after(&then, d, &t->then);
	if (reason)
		return reason;
	first.file = sc_diff_open(d, t->first.frame->file);
	if (!is_known_there(t, t->first.code.text))
		return "what it names may not be known at its line";
	sc_c_spot_put_after(&first, t->first.code.text);
	sc_diff_remove(then.file, then.begin, then.end);
	return NULL;
}

/* The stream is the last argument: of a statement in one line. */
static const char *write_free(struct sc_diff *d, const struct sc_edit_text *t)
{
	struct sc_buf statement = {0}, old = {0}, code = {0};
	const char *reason = NULL, *at;
	struct sc_c_spot then;

	reason = sc_c_spot_find_after(&then, d, &t->then);
	if (reason)
		return reason;
	sc_source_lines_add(&statement, &then.file->source, then.begin, then.end);
	if (!sc_call_text_stream(&old, statement.text) || !old.bytes)
		reason = "the source does not show its stream";
	else if (!sc_edit_text_is_one_function(t))
		reason = "what it names may not be known at its line";
	at = reason ? NULL : strstr(statement.text, ", ");
	while (at && strncmp(at + 2, old.text, old.bytes) != 0)
		at = strstr(at + 1, ", ");
	if (!reason && !at)
		reason = "the source does not show its stream";
	if (!reason) {
		sc_buf_add_bytes(&code, statement.text, (size_t)(at + 2 - statement.text));
		sc_buf_printf(&code, "%s%s", t->stream.text, at + 2 + old.bytes);
		code.text[code.bytes - 1] = '\0'; /* the space after its last line */
		sc_diff_remove(then.file, then.begin, then.end);
		sc_c_spot_put_before(&then, code.text);
	}
	sc_buf_fini(&statement);
	sc_buf_fini(&old);
	sc_buf_fini(&code);
	return reason;
}

/* Before each end of the frame; where these are not known right after the operation. */
static const char *write_frame(struct sc_diff *d, const struct sc_edit_text *t)
{
	struct sc_c_spot first;
	const char *reason = sc_c_spot_find_after(&first, d, &t->first), *code;

	if (reason)
		return reason;
	code = sc_buf_text(t->frame.ends.count ? &t->then.code : &t->first.code);
	if (!t->frame.ends.count)
		sc_c_spot_put_after(&first, code);
	for (size_t i = 0; i < t->frame.ends.count; i++) {
		unsigned line = t->frame.ends.items[i];
		size_t bytes;
		bool is_bracket = *sc_source_lines_code(&first.file->source, line, &bytes) == '}';

		sc_diff_insert(first.file, line, is_bracket ? first.begin : line, code);
	}
	return NULL;
}

const char *sc_c_edit_write(struct sc_diff *d, const struct sc_edit *e,
			    const struct sc_edit_text *t)
{
	if (e->kind == SC_EDIT_SYNC_DEVICE)
		return write_device(d, t);
	switch ((enum sc_edit_kind)e->kind) {
	case SC_EDIT_EVENT:
	case SC_EDIT_HOST_EVENT: return sc_c_event_write(d, t);
	case SC_EDIT_EDGE:
		return t->then.is_after ? write_dependency(d, t) : sc_c_event_write(d, t);
	case SC_EDIT_WAIT:
	case SC_EDIT_HOST_WAIT:
	case SC_EDIT_SYNC_STREAM: return write_wait(d, t);
	case SC_EDIT_RECORD:
		return is_known_there(t, t->first.code.text)
			       ? write_after(d, t)
			       : "what it names may not be known at its line";
	case SC_EDIT_SYNC_AFTER: return write_after(d, t);
	case SC_EDIT_FRAME: return write_frame(d, t);
	case SC_EDIT_MOVE: return write_move(d, t);
	case SC_EDIT_FREE_STREAM: return write_free(d, t);
	case SC_EDIT_STREAM: return sc_c_stream_write(d, t);
	case SC_EDIT_EVENT_EACH:
	case SC_EDIT_SYNC_EACH: return sc_c_each_write(d, e, t);
	default: return "it is not a line of its own";
	}
}
