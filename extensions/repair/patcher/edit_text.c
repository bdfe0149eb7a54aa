/* Edit text: calls from the dialect, with names of streams and events as reports show them. */
#include "extensions/repair/patcher/edit_text.h"

#include <inttypes.h>
#include <string.h>
#include "extensions/repair/patcher/own_place.h"
#include "reports/sources/variable.h"
#include "reports/words/call_text.h"

struct maker {
	struct sc_edit_text *text;
	struct sc_words *words;
	const struct sc_edit *edit;
	unsigned number;			 /* of its event */
	struct sc_buf first_stream, then_stream; /* as the source calls them */
};

/* ---- names ---- */

/* The variable of an object of a kind. */
static bool add_variable(const struct maker *m, struct sc_buf *out, unsigned kind, uint32_t stack)
{
	const char *name = sc_variable_of(m->words->report, kind, stack);

	if (name)
		sc_buf_add(out, name);
	return name != NULL;
}

/* True if an expression may stand for something else at another line: a call, or an index that is
 * no number. */
static bool may_change(const char *name)
{
	for (; *name; name++)
		if (*name == '(' || (*name == '[' && (name[1] < '0' || name[1] > '9')))
			return 1;
	return 0;
}

/* What the line itself says, if it is the one that calls CUDA; for code of another line, where that
 * may not be the same, with the line. */
static bool add_argument(const struct maker *m, struct sc_buf *out, const struct sc_frame *frame,
			 const struct sc_edit_place *place,
			 bool (*take)(struct sc_buf *out, const char *statement), bool is_elsewhere)
{
	const struct sc_report *r = m->words->report;
	struct sc_buf text = {0}, name = {0};
	struct sc_report_site site;
	bool is_found;

	sc_site_of_stack(&site, r, place->stack);
	if (!frame || !r->sources || sc_site_frame(&site) != frame)
		return 0;
	is_found = sc_call_text_read(&text, r->sources, frame->file, frame->line) &&
		   take(&name, sc_buf_text(&text));
	if (is_found && is_elsewhere && may_change(sc_buf_text(&name))) {
		sc_buf_printf(out, "<%s of ", sc_buf_text(&name));
		sc_site_add_place(out, frame, m->words->directory);
		sc_buf_add_char(out, '>');
	} else if (is_found) {
		sc_buf_add(out, sc_buf_text(&name));
	}
	sc_buf_fini(&text);
	sc_buf_fini(&name);
	return is_found;
}

/* Libraries of several devices use streams of their own, which no line of Python can name. */
static bool is_of_library(const struct maker *m, uint32_t stack)
{
	struct sc_report_site site;

	sc_site_of_stack(&site, m->words->report, stack);
	for (size_t i = 0; i < site.user; i++)
		if (strstr(site.frames[i].module, "nccl"))
			return 1;
	return 0;
}

static void add_stream(struct maker *m, struct sc_buf *out, const struct sc_frame *frame,
		       const struct sc_edit_place *place, uint32_t stream, bool is_elsewhere)
{
	const struct sc_named *named = sc_names_stream(m->words->report->names, stream);
	const struct sc_dialect *d = m->text->dialect;

	if (add_argument(m, out, frame, place, sc_call_text_stream, is_elsewhere))
		return;
	if (named && named->flags & SC_FLAG_LEGACY)
		sc_buf_add(out, d->default_stream);
	else if (named && add_variable(m, out, SC_OP_STREAM_CREATE, named->stack))
		return;
	else if (frame && *d->current && sc_dialect_is_python(frame->file) &&
		 !is_of_library(m, place->stack))
		sc_buf_add(out, d->current);
	else if (stream)
		sc_buf_printf(out, "<stream %" PRIu32 ">", stream);
	else
		sc_buf_add(out, "<its stream>");
}

/* Appends a line of code: `$` is the stream, `done` the event. */
static void add_code(struct sc_buf *out, const struct sc_dialect_call *call, const char *stream,
		     const char *event)
{
	const char *code = *call->code ? call->code : call->name;

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

/* ---- calls ---- */

/* Calls that concern the current device, where there are several. */
static void choose_device(struct maker *m, struct sc_buf *out)
{
	const struct sc_names *names = m->words->report->names;
	const struct sc_named *stream = sc_names_stream(names, m->edit->stream);
	const struct sc_named *context = stream ? sc_names_context(names, stream->context) : NULL;

	if (names->devices < 2)
		return;
	if (sc_dialect_is_runtime(m->text->dialect) && context)
		sc_buf_printf(out, "cudaSetDevice(%" PRIu32 "), then ", context->device);
}

static void name_event(struct maker *m)
{
	sc_buf_add(&m->text->event, "done");
	if (m->number > 1)
		sc_buf_printf(&m->text->event, "%u", m->number);
}

static void new_event(struct maker *m)
{
	struct sc_dialect_call make = {"", m->text->dialect->event};

	name_event(m);
	choose_device(m, &m->text->make);
	if (*make.code && !strstr(make.code, "done"))
		sc_buf_printf(&m->text->make, "%s = ", m->text->event.text);
	if (*make.code)
		add_code(&m->text->make, &make, "", m->text->event.text);
}

/* Of the calls for events, the place of the one that the edit is about. */
static void existing_event(struct maker *m, const struct sc_frame *frame,
			   const struct sc_edit_place *place)
{
	const struct sc_report *r = m->words->report;
	struct sc_buf *out = &m->text->event;
	struct sc_op op;
	uint32_t event = m->edit->event;

	if (!event && sc_reader_op(r->reader, place->op, &op))
		event = op.object;
	/* The call that is printed stands at another line. */
	if (add_argument(m, out, frame, place, sc_call_text_event, 1) ||
	    (event && add_variable(m, out, SC_OP_EVENT_CREATE,
				   sc_names_made_at(r->names, SC_OP_EVENT_CREATE, event))))
		return;
	sc_buf_printf(out, "<event %" PRIu32 ">", event);
}

static void record_and_wait(struct maker *m)
{
	struct sc_edit_text *t = m->text;
	bool is_host = sc_edit_kind_is_host((enum sc_edit_kind)m->edit->kind);

	new_event(m);
	add_code(&t->first.code, &t->dialect->record, sc_buf_text(&m->first_stream), t->event.text);
	add_code(&t->then.code, is_host ? &t->dialect->event_sync : &t->dialect->wait,
		 sc_buf_text(&m->then_stream), t->event.text);
}

/* One event would stand for its last record only, so it is waited for before it is recorded again.
 */
static void for_each(struct maker *m)
{
	struct sc_edit_text *t = m->text;
	const char *stream = sc_buf_text(&m->first_stream);
	struct sc_buf *out = &t->then.code;

	stream = *stream == '<' ? "<the stream>" : stream; /* that is one of them */
	sc_buf_printf(out, "for each of the %" PRIu32 " streams", m->edit->streams);
	if (t->first.frame) {
		sc_buf_add(out, " of ");
		sc_site_add_place(out, t->first.frame, m->words->directory);
	}
	sc_buf_add(out, ": ");
	if (m->edit->kind == SC_EDIT_SYNC_EACH) {
		add_code(out, &t->dialect->stream_sync, stream, NULL);
		return;
	}
	new_event(m);
	add_code(out, &t->dialect->record, stream, t->event.text);
	sc_buf_add_char(out, ' ');
	add_code(out, &t->dialect->wait, sc_buf_text(&m->then_stream), t->event.text);
}

static void wait_only(struct maker *m)
{
	struct sc_edit_text *t = m->text;
	bool is_host = m->edit->kind == SC_EDIT_HOST_WAIT;

	existing_event(m, t->first.frame, &m->edit->first);
	add_code(&t->then.code, is_host ? &t->dialect->event_sync : &t->dialect->wait,
		 sc_buf_text(&m->then_stream), sc_buf_text(&t->event));
}

static void move(struct maker *m)
{
	struct sc_edit_text *t = m->text;

	t->then.replaces = 1;
	existing_event(m, t->then.frame, &m->edit->before);
	add_code(&t->first.code, &t->dialect->record, sc_buf_text(&m->first_stream), t->event.text);
}

static void record_only(struct maker *m)
{
	struct sc_edit_text *t = m->text;

	existing_event(m, t->then.frame, &m->edit->before);
	add_code(&t->first.code, &t->dialect->record, sc_buf_text(&m->first_stream), t->event.text);
}

static void free_elsewhere(struct maker *m)
{
	sc_buf_printf(&m->text->then.code, "free it in stream %s", sc_buf_text(&m->first_stream));
}

static bool is_one_function(const struct sc_edit_text *t)
{
	return t->first.frame && t->then.frame &&
	       !strcmp(t->first.frame->function, t->then.frame->function) &&
	       !strcmp(t->first.frame->file, t->then.frame->file);
}

/* How the operation is given the other stream. */
static void go_elsewhere(struct maker *m)
{
	struct sc_edit_text *t = m->text;
	struct sc_dialect_call call = {"", t->dialect->in_stream};
	bool is_current = strstr(sc_buf_text(&m->first_stream), "current_stream(") != NULL;

	if (is_current) /* another one here */
		sc_buf_add(&t->then.code, "enqueue it in the stream that is current at ");
	else
		add_code(&t->then.code, &call, sc_buf_text(&m->first_stream), NULL);
	if (!t->first.frame || (!is_current && is_one_function(t)))
		return;
	sc_buf_add(&t->then.code, is_current ? "" : ", that of ");
	sc_site_add_place(&t->then.code, t->first.frame, m->words->directory);
}

/* Before the ends of the function. */
static void wait_in_frame(struct maker *m)
{
	struct sc_edit_text *t = m->text;

	sc_buf_add(&t->returns, "the function returns");
	if (t->first.frame) {
		sc_buf_add(&t->returns, " after ");
		sc_site_add_place(&t->returns, t->first.frame, m->words->directory);
	}
	t->then.frame = NULL;
	t->then.where = sc_buf_text(&t->returns);
	add_code(&t->then.code, &t->dialect->stream_sync, sc_buf_text(&m->first_stream), NULL);
}

/* Nodes are made by calls for nodes, or by the capture of streams. */
static void depend(struct maker *m)
{
	struct sc_edit_text *t = m->text;
	struct sc_report_site site;

	sc_site_of_stack(&site, m->words->report, m->edit->nodes[1].stack);
	if (!site.api || !strstr(site.api, "Graph")) {
		record_and_wait(m);
		return;
	}
	sc_buf_add(&t->then.code, "let this node depend on the one of ");
	if (t->first.frame)
		sc_site_add_place(&t->then.code, t->first.frame, m->words->directory);
	else
		sc_buf_add(&t->then.code, "the first operation");
}

static void wait_in_kernel(struct maker *m)
{
	struct sc_buf *out = &m->text->then.code;

	sc_buf_add(out, "let ");
	sc_words_kernel(out, m->words, m->edit->kernel);
	sc_buf_add(out, " call cudaGridDependencySynchronize() before all else, in every thread");
}

/* The statement as it stands there. */
static void move_call(struct maker *m)
{
	const struct sc_report *r = m->words->report;
	struct sc_edit_text *t = m->text;

	t->then.replaces = 1;
	if (m->edit->kind == SC_EDIT_WAIT_MOVE) {
		add_code(&t->first.code, &t->dialect->stream_sync, sc_buf_text(&m->first_stream),
			 NULL);
		sc_buf_add(&t->first.code, " ");
	}
	if (!t->then.frame || !r->sources ||
	    !sc_call_text_read(&t->first.code, r->sources, t->then.frame->file,
			       t->then.frame->line))
		sc_buf_add(&t->first.code, "the call");
}

static void make(struct maker *m)
{
	struct sc_edit_text *t = m->text;

	switch ((enum sc_edit_kind)m->edit->kind) {
	case SC_EDIT_WAIT:
	case SC_EDIT_HOST_WAIT: wait_only(m); break;
	case SC_EDIT_RECORD: record_only(m); break;
	case SC_EDIT_MOVE: move(m); break;
	case SC_EDIT_EDGE: depend(m); break;
	case SC_EDIT_KERNEL_WAIT: wait_in_kernel(m); break;
	case SC_EDIT_MOVE_CALL:
	case SC_EDIT_WAIT_MOVE: move_call(m); break;
	case SC_EDIT_FREE_STREAM: free_elsewhere(m); break;
	case SC_EDIT_STREAM: go_elsewhere(m); break;
	case SC_EDIT_FRAME: wait_in_frame(m); break;
	case SC_EDIT_EVENT:
	case SC_EDIT_HOST_EVENT: record_and_wait(m); break;
	case SC_EDIT_EVENT_EACH:
	case SC_EDIT_SYNC_EACH: for_each(m); break;
	case SC_EDIT_SYNC_DEVICE:
		choose_device(m, &t->then.code);
		add_code(&t->then.code, &t->dialect->device_sync, "", NULL);
		break;
	case SC_EDIT_SYNC_AFTER:
		add_code(&t->first.code, &t->dialect->stream_sync, sc_buf_text(&m->first_stream),
			 NULL);
		break;
	default:
		add_code(&t->then.code, &t->dialect->stream_sync, sc_buf_text(&m->first_stream),
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

static bool makes_event(const struct sc_edit *e)
{
	return e->kind == SC_EDIT_EVENT || e->kind == SC_EDIT_EVENT_EACH ||
	       e->kind == SC_EDIT_HOST_EVENT || e->kind == SC_EDIT_EDGE;
}

/* True if the first line's stream is named at the other line. */
static bool is_named_there(const struct sc_edit *e)
{
	return e->kind == SC_EDIT_SYNC_STREAM || e->kind == SC_EDIT_FREE_STREAM ||
	       e->kind == SC_EDIT_STREAM || e->kind == SC_EDIT_FRAME;
}

static void name_streams(struct maker *m, const struct sc_edit_place *first,
			 const struct sc_edit_place *then)
{
	const struct sc_edit *e = m->edit;
	struct sc_edit_text *t = m->text;

	add_stream(m, &m->first_stream, t->first.frame, first, e->stream, is_named_there(e));
	if ((e->waiting && e->kind != SC_EDIT_STREAM) || e->kind == SC_EDIT_EDGE)
		add_stream(m, &m->then_stream, t->then.frame, then, e->waiting, 0);
}

unsigned sc_edit_text_make(struct sc_edit_text *t, const struct sc_own *own, struct sc_words *words,
			   const struct sc_edit *e, unsigned number)
{
	struct maker m = {.text = t, .words = words, .edit = e, .number = number};
	const struct sc_edit_place *first = e->kind == SC_EDIT_EDGE ? &e->nodes[0] : &e->first;
	const struct sc_edit_place *then = e->kind == SC_EDIT_EDGE ? &e->nodes[1] : &e->before;

	*t = (struct sc_edit_text){.dialect = dialect_of(words, e)};
	t->first.frame = sc_own_frame(own, first);
	t->then.frame = sc_own_frame(own, then);
	t->then.where = where_of(words, &e->before);
	name_streams(&m, first, then);
	make(&m);
	sc_buf_fini(&m.first_stream);
	sc_buf_fini(&m.then_stream);
	return makes_event(e) ? m.number + 1 : number;
}

bool sc_edit_line_is_said(const struct sc_edit_line *line)
{
	return line->code.bytes || line->replaces;
}

const char *sc_edit_text_label(const struct sc_edit_text *t, const struct sc_edit *e)
{
	return t->then.replaces || e->kind == SC_EDIT_STREAM || e->kind == SC_EDIT_KERNEL_WAIT
		       ? "at"
		       : "before";
}

void sc_edit_text_fini(struct sc_edit_text *t)
{
	sc_buf_fini(&t->event);
	sc_buf_fini(&t->returns);
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
	if (e->kind == SC_EDIT_STREAM) {
		sc_buf_add(out, "an operation of ");
		sc_words_stream_name(out, w, e->waiting);
		sc_buf_add(out, " goes into ");
		sc_words_stream_name(out, w, e->stream);
		return;
	}
	if (e->kind == SC_EDIT_EDGE) {
		sc_buf_add(out, "a node of the graph depends on another one");
		return;
	}
	if (e->kind == SC_EDIT_KERNEL_WAIT) {
		sc_buf_add(out, "a kernel that begins early waits for the one before it");
		return;
	}
	if (sc_edit_moves_call(e)) {
		sc_buf_add(out, "move the call after the last use of what it ends");
		sc_buf_add(out, e->kind == SC_EDIT_WAIT_MOVE ? ", and after a wait for " : "");
		if (e->kind == SC_EDIT_WAIT_MOVE)
			add_streams(out, w, e);
		return;
	}
	if (e->kind == SC_EDIT_SYNC_AFTER) {
		sc_buf_add(out, "the host waits at once for ");
		add_streams(out, w, e);
		return;
	}
	if (e->kind == SC_EDIT_FRAME) {
		sc_buf_add(out, "the host waits for ");
		add_streams(out, w, e);
		sc_buf_add(out, " before the function returns");
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
