/* C each: a loop over the array. */
#include "extensions/repair/patcher/c_each.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "extensions/repair/patcher/c_spot.h"

/* How often a `for` of the file counts so far: streams that it made. */
static bool is_counted(const struct sc_source_lines *l, const char *bound)
{
	struct sc_buf below = {0};
	bool is_found = 0;

	sc_buf_printf(&below, "< %s;", bound);
	for (size_t i = 0; i < l->lines.count && !is_found; i++)
		is_found =
			strstr(l->lines.items[i], "for (") && strstr(l->lines.items[i], below.text);
	sc_buf_fini(&below);
	return is_found;
}

static bool is_destroyed(const struct sc_source_lines *l, unsigned first, unsigned second)
{
	for (unsigned line = first; line < second; line++)
		if (strstr(l->lines.items[line - 1], "StreamDestroy"))
			return 1;
	return 0;
}

/* Splits `streams[i]`; the array's size, as it is declared for both lines. */
static const char *find_array(struct sc_buf *array, struct sc_buf *bound,
			      const struct sc_c_spot *then, const struct sc_edit *e,
			      const struct sc_edit_text *t)
{
	const struct sc_source_lines *source = &then->file->source;
	const char *bracket = strchr(sc_buf_text(&t->stream), '[');

	if (!bracket || t->stream.text[t->stream.bytes - 1] != ']' ||
	    !sc_edit_text_is_one_function(t))
		return "its streams are in no array that both lines know";
	sc_buf_add_bytes(array, t->stream.text, (size_t)(bracket - t->stream.text));
	if (!sc_source_lines_array(bound, source, then->begin, array->text) ||
	    t->first.frame->line >= then->begin)
		return "its streams are in no array that both lines know";
	if (strtoul(bound->text, NULL, 10) != e->streams && !is_counted(source, bound->text))
		return "not all streams of their array are used";
	if (is_destroyed(source, t->first.frame->line, then->begin))
		return "some of its streams may be destroyed at its line";
	return NULL;
}

static void put_inside(const struct sc_c_spot *s, const char *code)
{
	struct sc_buf line = {0};

	sc_buf_printf(&line, "%s%s",
		      *s->file->source.lines.items[s->begin - 1] == ' ' ? "    " : "\t", code);
	sc_c_spot_put_before(s, line.text);
	sc_buf_fini(&line);
}

/* Before the second line: an event in one stream after the other, or a wait for each. */
static void put_loop(const struct sc_c_spot *then, const struct sc_edit *e,
		     const struct sc_edit_text *t, const char *array, const char *bound)
{
	bool is_event = e->kind == SC_EDIT_EVENT_EACH, is_driver = sc_dialect_is_driver(t->dialect);
	const char *event = sc_buf_text(&t->event);
	struct sc_buf code = {0};

	if (is_event) {
		sc_buf_printf(&code, "%s %s;", sc_c_spot_event_type(t->dialect), event);
		sc_c_spot_put_before(then, code.text);
		sc_buf_clear(&code);
		sc_buf_printf(&code, "%s;", t->make.text);
		sc_c_spot_put_before(then, code.text);
		sc_buf_clear(&code);
	}
	sc_buf_printf(&code, "for (int each = 0; each < %s; each++)%s", bound,
		      is_event ? " {" : "");
	sc_c_spot_put_before(then, code.text);
	sc_buf_clear(&code);
	if (is_event)
		sc_buf_printf(&code, "%s(%s, %s[each]);",
			      is_driver ? "cuEventRecord" : "cudaEventRecord", event, array);
	else
		sc_buf_printf(&code, "%s(%s[each]);",
			      is_driver ? "cuStreamSynchronize" : "cudaStreamSynchronize", array);
	put_inside(then, code.text);
	sc_buf_clear(&code);
	sc_buf_printf(&code, "%s(%s);", is_driver ? "cuEventDestroy" : "cudaEventDestroy", event);
	if (is_event) {
		put_inside(then, t->then.code.text);
		sc_c_spot_put_before(then, "}");
		sc_c_spot_put_before(then, code.text);
	}
	sc_buf_fini(&code);
}

const char *sc_c_each_write(struct sc_diff *d, const struct sc_edit *e,
			    const struct sc_edit_text *t)
{
	struct sc_buf array = {0}, bound = {0};
	struct sc_c_spot then;
	const char *reason = sc_c_spot_find(&then, d, &t->then);

	if (!reason && !t->first.frame)
		reason = "its line is not known";
	if (!reason && strstr(sc_buf_text(&t->then.code), "each"))
		reason = "it is not a line of its own";
	if (!reason)
		reason = find_array(&array, &bound, &then, e, t);
	if (!reason)
		put_loop(&then, e, t, array.text, bound.text);
	sc_buf_fini(&array);
	sc_buf_fini(&bound);
	return reason;
}
