/* Patch: each edit as lines beside the statements that it belongs to, where that is plain. */
#include "cmds/patch.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include "cmds/call_text.h"
#include "cmds/diff.h"

/* Where an edit's lines go. */
struct spot {
	struct sc_diff_file *file;
	unsigned begin, end; /* of the statement there */
};

static bool is_c(const char *file)
{
	static const char *const ends[] = {".cu",  ".c",   ".cc", ".cpp",
					   ".cxx", ".cuh", ".h",  ".hpp"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t bytes = strlen(file), last = strlen(ends[i]);

		if (bytes > last && !strcmp(file + bytes - last, ends[i]))
			return 1;
	}
	return 0;
}

/* Fills a spot; else says why it cannot be written. */
static const char *find_spot(struct spot *s, struct sc_diff *d, const struct sc_edit_line *line)
{
	if (!line->frame || !line->frame->line)
		return "its line is not known";
	if (!is_c(line->frame->file))
		return "its file is not in C, C++ or CUDA";
	s->file = sc_diff_open(d, line->frame->file);
	if (!s->file)
		return "its source may not be read here";
	s->begin = sc_source_lines_begin(&s->file->source, line->frame->line);
	s->end = s->begin ? sc_source_lines_end(&s->file->source, s->begin) : 0;
	return s->begin ? NULL : "its line is a part of a larger statement";
}

static const char *find_after(struct spot *s, struct sc_diff *d, const struct sc_edit_line *line)
{
	const char *reason = find_spot(s, d, line);

	if (reason)
		return reason;
	if (!s->end || !sc_source_lines_is_plain(&s->file->source, s->begin))
		return "nothing can be written after its statement alone";
	return NULL;
}

static void put_before(const struct spot *s, const char *code)
{
	sc_diff_insert(s->file, s->begin, s->begin, code);
}

static void put_after(const struct spot *s, const char *code)
{
	sc_diff_insert(s->file, s->end + 1, s->begin, code);
}

static bool is_driver(const struct sc_edit_text *t)
{
	return sc_dialect_is_driver(t->dialect);
}

/* A new event lives from its record to the wait, in one block. */
static const char *write_event(struct sc_diff *d, const struct sc_edit_text *t)
{
	struct spot first, then;
	struct sc_buf code = {0};
	const char *reason = find_after(&first, d, &t->first);

	reason = reason ? reason : find_spot(&then, d, &t->then);
	if (reason)
		return reason;
	first.file = sc_diff_open(d, t->first.frame->file); /* opening another moves files */
	if (first.file != then.file || first.end >= then.begin ||
	    !sc_source_lines_are_beside(&then.file->source, first.end + 1, then.begin))
		return "its two lines are not in one block, so that the event needs a place of its "
		       "own";
	sc_buf_printf(&code, "%s %s;", is_driver(t) ? "CUevent" : "cudaEvent_t", t->event.text);
	put_after(&first, code.text);
	sc_buf_clear(&code);
	sc_buf_printf(&code, "%s;", t->make.text);
	put_after(&first, code.text);
	put_after(&first, t->first.code.text);
	put_before(&then, t->then.code.text);
	sc_buf_clear(&code);
	sc_buf_printf(&code, "%s(%s);", is_driver(t) ? "cuEventDestroy" : "cudaEventDestroy",
		      t->event.text);
	put_before(&then, code.text);
	sc_buf_fini(&code);
	return NULL;
}

/* Names that the one line uses are known at the other if both are in one function, and none of them
 * can stand for something else in each round of a loop. */
static bool is_known_there(const struct sc_edit_text *t, const char *code)
{
	if (!strcmp(t->first.frame->function, t->then.frame->function) &&
	    !strcmp(t->first.frame->file, t->then.frame->file))
		return !strpbrk(code, "[]<>");
	return !strcmp(code, "cudaStreamSynchronize(0);");
}

static const char *write_wait(struct sc_diff *d, const struct sc_edit_text *t)
{
	struct spot then;
	const char *reason = find_spot(&then, d, &t->then);

	if (reason)
		return reason;
	if (!is_known_there(t, t->then.code.text))
		return "what it names may not be known at its line";
	put_before(&then, t->then.code.text);
	return NULL;
}

static const char *write_device(struct sc_diff *d, const struct sc_edit_text *t)
{
	struct spot then;
	const char *reason = find_spot(&then, d, &t->then);

	if (!reason)
		put_before(&then, t->then.code.text);
	return reason;
}

static const char *write_after(struct sc_diff *d, const struct sc_edit_text *t)
{
	struct spot first;
	const char *reason = find_after(&first, d, &t->first);

	if (!reason)
		put_after(&first, t->first.code.text);
	return reason;
}

static const char *write_move(struct sc_diff *d, const struct sc_edit_text *t)
{
	struct spot first, then;
	const char *reason = find_after(&first, d, &t->first);

	reason = reason ? reason : find_after(&then, d, &t->then);
	if (reason)
		return reason;
	first.file = sc_diff_open(d, t->first.frame->file);
	if (!is_known_there(t, t->first.code.text))
		return "what it names may not be known at its line";
	put_after(&first, t->first.code.text);
	sc_diff_remove(then.file, then.begin, then.end);
	return NULL;
}

/* The stream is the last argument: of a statement in one line. */
static const char *write_free(struct sc_diff *d, const struct sc_edit_text *t)
{
	struct sc_buf statement = {0}, old = {0}, code = {0};
	const char *reason = NULL, *at;
	struct spot then;

	reason = find_after(&then, d, &t->then);
	if (reason)
		return reason;
	sc_source_lines_add(&statement, &then.file->source, then.begin, then.end);
	if (!sc_call_text_stream(&old, statement.text) || !old.bytes)
		reason = "the source does not show its stream";
	else if (strcmp(t->first.frame->function, t->then.frame->function))
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
		put_before(&then, code.text);
	}
	sc_buf_fini(&statement);
	sc_buf_fini(&old);
	sc_buf_fini(&code);
	return reason;
}

/* Writes an edit; else says why it is not plain. */
static const char *write_edit(struct sc_diff *d, const struct sc_edit *e,
			      const struct sc_edit_text *t)
{
	if (!t->is_plain)
		return "the source does not show its streams or events as names, or the current "
		       "device matters";
	if (e->kind == SC_EDIT_SYNC_DEVICE)
		return write_device(d, t);
	switch ((enum sc_edit_kind)e->kind) {
	case SC_EDIT_EVENT:
	case SC_EDIT_HOST_EVENT:
	case SC_EDIT_EDGE: return write_event(d, t);
	case SC_EDIT_WAIT:
	case SC_EDIT_HOST_WAIT:
	case SC_EDIT_SYNC_STREAM: return write_wait(d, t);
	case SC_EDIT_RECORD:
		return is_known_there(t, t->first.code.text)
			       ? write_after(d, t)
			       : "what it names may not be known at its line";
	case SC_EDIT_SYNC_AFTER: return write_after(d, t);
	case SC_EDIT_MOVE: return write_move(d, t);
	case SC_EDIT_FREE_STREAM: return write_free(d, t);
	default: return "it is not a line of its own";
	}
}

void sc_patch_write(struct sc_buf *out, const struct sc_plan_texts *plan, const struct sc_report *r,
		    const char *directory)
{
	struct sc_diff diff = {.sources = r->sources};

	for (size_t i = 0; i < plan->texts.count; i++) {
		const char *reason =
			write_edit(&diff, &plan->repair.edits.items[i], &plan->texts.items[i]);

		if (reason)
			sc_buf_printf(out, "# edit %zu is not in this patch: %s\n", i + 1, reason);
	}
	sc_diff_write(out, &diff, directory);
	sc_diff_fini(&diff);
}
