/* Edit text: calls from the dialect, with the source's names for streams and events. */
#include "cmds/edit_text.h"

#include <inttypes.h>
#include <string.h>
#include "cmds/call_text.h"

struct maker {
	struct sc_edit_text *text;
	struct sc_words *words;
	const struct sc_edit *edit;
	struct sc_buf first_stream, then_stream; /* as the source calls them */
};

/* The source's name for the stream, or event, of the call at a line. */
static bool add_from_source(struct sc_buf *out, struct sc_words *w, const struct sc_frame *frame,
			    bool (*find)(struct sc_buf *out, const char *statement))
{
	struct sc_buf statement = {0};
	bool is_found = 0;

	if (frame && w->report->sources && !sc_dialect_is_python(frame->file) &&
	    sc_call_text_read(&statement, w->report->sources, frame->file, frame->line))
		is_found = find(out, sc_buf_text(&statement));
	sc_buf_fini(&statement);
	return is_found;
}

static void add_stream(struct maker *m, struct sc_buf *out, const struct sc_frame *frame,
		       uint32_t stream)
{
	const struct sc_named *named = sc_names_stream(m->words->report->names, stream);

	if (add_from_source(out, m->words, frame, sc_call_text_stream))
		return;
	if (named && named->flags & SC_FLAG_LEGACY) {
		sc_buf_add(out, m->text->dialect->default_stream);
		return;
	}
	m->text->is_plain = 0;
	if (stream)
		sc_buf_printf(out, "<stream %" PRIu32 ">", stream);
	else
		sc_buf_add(out, "<its stream>");
}

/* Appends a line of code: `$` is the stream, `done` the event. */
static void add_code(struct maker *m, struct sc_buf *out, const struct sc_dialect_call *call,
		     const char *stream, const char *event)
{
	const char *code = call->code;

	if (!*code) {
		sc_buf_printf(out, "%s", call->name);
		m->text->is_plain = 0;
		return;
	}
	for (; *code; code++) {
		if (*code == '$') {
			sc_buf_add(out, stream);
		} else if (event && !strncmp(code, "done", 4)) {
			sc_buf_add(out, event);
			code += 3;
		} else {
			sc_buf_add_char(out, *code);
		}
	}
}

/* Calls that concern the current device, where there are several. */
static void choose_device(struct maker *m, struct sc_buf *out)
{
	const struct sc_names *names = m->words->report->names;
	const struct sc_named *stream = sc_names_stream(names, m->edit->stream);
	const struct sc_named *context = stream ? sc_names_context(names, stream->context) : NULL;

	if (names->devices < 2)
		return;
	m->text->is_plain = 0;
	if (sc_dialect_is_runtime(m->text->dialect) && context)
		sc_buf_printf(out, "cudaSetDevice(%" PRIu32 "), then ", context->device);
}

static void new_event(struct maker *m, unsigned number)
{
	struct sc_dialect_call make = {"", m->text->dialect->event};

	sc_buf_add(&m->text->event, "done");
	if (number > 1)
		sc_buf_printf(&m->text->event, "%u", number);
	if (m->edit->kind == SC_EDIT_EVENT_EACH)
		m->text->is_plain = 0; /* one for each stream */
	choose_device(m, &m->text->make);
	if (*make.code && !strstr(make.code, "done"))
		sc_buf_printf(&m->text->make, "%s = ", m->text->event.text);
	if (*make.code)
		add_code(m, &m->text->make, &make, "", m->text->event.text);
}

static void existing_event(struct maker *m)
{
	struct sc_edit_text *t = m->text;

	if (add_from_source(&t->event, m->words, t->first.frame, sc_call_text_event))
		return;
	t->is_plain = 0;
	sc_buf_printf(&t->event, "<event %" PRIu32 ">", m->edit->event);
}

static void record_and_wait(struct maker *m, unsigned number)
{
	struct sc_edit_text *t = m->text;
	bool is_host = sc_edit_kind_is_host((enum sc_edit_kind)m->edit->kind);

	new_event(m, number);
	add_code(m, &t->first.code, &t->dialect->record, sc_buf_text(&m->first_stream),
		 t->event.text);
	add_code(m, &t->then.code, is_host ? &t->dialect->event_sync : &t->dialect->wait,
		 sc_buf_text(&m->then_stream), t->event.text);
}

static void wait_only(struct maker *m)
{
	struct sc_edit_text *t = m->text;
	bool is_host = m->edit->kind == SC_EDIT_HOST_WAIT;

	existing_event(m);
	add_code(m, &t->then.code, is_host ? &t->dialect->event_sync : &t->dialect->wait,
		 sc_buf_text(&m->then_stream), sc_buf_text(&t->event));
}

static void move(struct maker *m)
{
	struct sc_edit_text *t = m->text;

	t->then.replaces = 1;
	if (!add_from_source(&t->event, m->words, t->then.frame, sc_call_text_event)) {
		sc_buf_add(&t->event, "<event>");
		t->is_plain = 0;
	}
	add_code(m, &t->first.code, &t->dialect->record, sc_buf_text(&m->first_stream),
		 t->event.text);
}

static void record_only(struct maker *m)
{
	struct sc_edit_text *t = m->text;

	if (!add_from_source(&t->event, m->words, t->then.frame, sc_call_text_event)) {
		t->is_plain = 0;
		sc_buf_printf(&t->event, "<event %" PRIu32 ">", m->edit->event);
	}
	add_code(m, &t->first.code, &t->dialect->record, sc_buf_text(&m->first_stream),
		 t->event.text);
}

static void free_elsewhere(struct maker *m)
{
	sc_buf_add(&m->text->stream, sc_buf_text(&m->first_stream));
	sc_buf_printf(&m->text->then.code, "free it in stream %s", sc_buf_text(&m->first_stream));
}

/* Nodes are made by calls for nodes, or by the capture of streams. */
static void depend(struct maker *m, unsigned number)
{
	struct sc_edit_text *t = m->text;
	struct sc_report_site site;

	sc_site_of_stack(&site, m->words->report, m->edit->nodes[1].stack);
	if (!site.api || !strstr(site.api, "Graph")) {
		record_and_wait(m, number);
		return;
	}
	t->is_plain = 0;
	sc_buf_add(&t->then.code, "let this node depend on the one of ");
	if (t->first.frame)
		sc_site_add_place(&t->then.code, t->first.frame, m->words->directory);
	else
		sc_buf_add(&t->then.code, "the first operation");
}

static void make(struct maker *m, unsigned number)
{
	struct sc_edit_text *t = m->text;

	switch ((enum sc_edit_kind)m->edit->kind) {
	case SC_EDIT_WAIT:
	case SC_EDIT_HOST_WAIT: wait_only(m); break;
	case SC_EDIT_RECORD: record_only(m); break;
	case SC_EDIT_MOVE: move(m); break;
	case SC_EDIT_EDGE: depend(m, number); break;
	case SC_EDIT_FREE_STREAM: free_elsewhere(m); break;
	case SC_EDIT_EVENT:
	case SC_EDIT_EVENT_EACH:
	case SC_EDIT_HOST_EVENT: record_and_wait(m, number); break;
	case SC_EDIT_SYNC_DEVICE:
		choose_device(m, &t->then.code);
		add_code(m, &t->then.code, &t->dialect->device_sync, "", NULL);
		break;
	case SC_EDIT_SYNC_AFTER:
		add_code(m, &t->first.code, &t->dialect->stream_sync, sc_buf_text(&m->first_stream),
			 NULL);
		break;
	default:
		t->is_plain &= m->edit->kind != SC_EDIT_SYNC_EACH;
		add_code(m, &t->then.code, &t->dialect->stream_sync, sc_buf_text(&m->first_stream),
			 NULL);
		break;
	}
}

static const struct sc_dialect *dialect_of(const struct sc_words *w, const struct sc_edit *e)
{
	struct sc_report_site sites[2];

	sc_site_of_stack(&sites[0], w->report, e->first.stack);
	sc_site_of_stack(&sites[1], w->report, e->before.stack);
	return sc_dialect_of(sites);
}

/* For a line that is not known. */
static const char *where_of(const struct sc_words *w, const struct sc_edit_place *place)
{
	struct sc_op op;

	if (sc_reader_op(w->report->reader, place->op, &op) && op.kind == SC_OP_EXIT)
		return "the end of the program";
	return "a line that is not known";
}

void sc_edit_text_make(struct sc_edit_text *t, const struct sc_own *own, struct sc_words *words,
		       const struct sc_edit *e, unsigned number)
{
	struct maker m = {.text = t, .words = words, .edit = e};

	*t = (struct sc_edit_text){.dialect = dialect_of(words, e), .is_plain = 1};
	t->first.frame = sc_own_frame(own, e->kind == SC_EDIT_EDGE ? &e->nodes[0] : &e->first);
	t->first.is_after = 1;
	t->then.frame = sc_own_frame(own, e->kind == SC_EDIT_EDGE ? &e->nodes[1] : &e->before);
	t->is_plain = t->first.frame && t->then.frame;
	t->then.where = where_of(words, &e->before);
	add_stream(&m, &m.first_stream, t->first.frame, e->stream);
	if (e->waiting || e->kind == SC_EDIT_EDGE)
		add_stream(&m, &m.then_stream, t->then.frame, e->waiting);
	make(&m, number);
	sc_buf_fini(&m.first_stream);
	sc_buf_fini(&m.then_stream);
}

void sc_edit_text_fini(struct sc_edit_text *t)
{
	sc_buf_fini(&t->event);
	sc_buf_fini(&t->stream);
	sc_buf_fini(&t->make);
	sc_buf_fini(&t->first.code);
	sc_buf_fini(&t->then.code);
}

static void add_streams(struct sc_buf *out, struct sc_words *w, const struct sc_edit *e)
{
	if (e->streams > 1) {
		sc_buf_printf(out, "%" PRIu32 " streams, ", e->streams);
		sc_buf_add(out, e->kind == SC_EDIT_EVENT || e->kind == SC_EDIT_SYNC_STREAM ||
						e->kind == SC_EDIT_HOST_EVENT
					? "the one used last"
					: "each of them");
		return;
	}
	sc_words_stream_name(out, w, e->stream);
}

void sc_edit_text_summary(struct sc_buf *out, struct sc_words *w, const struct sc_edit *e)
{
	if (e->kind == SC_EDIT_MOVE) {
		sc_buf_add(out, "move the record of the event after the work that it stands for");
		return;
	}
	if (e->kind == SC_EDIT_RECORD) {
		sc_buf_add(out, "record the event that is waited for, in ");
		add_streams(out, w, e);
		return;
	}
	if (e->kind == SC_EDIT_FREE_STREAM) {
		sc_buf_add(out, "free the memory in ");
		sc_words_stream_name(out, w, e->stream);
		return;
	}
	if (e->kind == SC_EDIT_EDGE) {
		sc_buf_add(out, "a node of the graph depends on another one");
		return;
	}
	if (e->kind == SC_EDIT_SYNC_AFTER) {
		sc_buf_add(out, "the host waits at once for ");
		add_streams(out, w, e);
		return;
	}
	if (e->kind == SC_EDIT_SYNC_DEVICE) {
		sc_buf_add(out, "the host waits for the device");
		return;
	}
	sc_words_stream_name(out, w, e->waiting);
	sc_buf_add(out, " waits for ");
	if (e->kind == SC_EDIT_WAIT || e->kind == SC_EDIT_HOST_WAIT)
		sc_buf_add(out, "an event that is recorded already, in ");
	else if (e->kind != SC_EDIT_SYNC_STREAM && e->kind != SC_EDIT_SYNC_EACH)
		sc_buf_add(out, "an event in ");
	add_streams(out, w, e);
}
