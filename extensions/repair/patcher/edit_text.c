/* Edit text: calls from the dialect, with the source's names for streams and events. */
#include "extensions/repair/patcher/edit_text.h"

#include <inttypes.h>
#include <string.h>
#include "extensions/repair/patcher/edit_names.h"
#include "extensions/repair/patcher/stream_name.h"
#include "extensions/repair/patcher/own_place.h"

#define NAMES_TRIED 1000

struct maker {
	struct sc_edit_text *text;
	struct sc_words *words;
	const struct sc_edit *edit;
	unsigned number;			 /* of its event */
	struct sc_buf first_stream, then_stream; /* as the source calls them */
	struct sc_buf package;			 /* of the dialect, as well */
};

/* ---- names ---- */

/* Appends code with the package under the name by which the source imports it. */
static void add_packaged(struct maker *m, struct sc_buf *out, const char *code)
{
	const char *package = m->text->dialect->package, *last = strrchr(package, '.');
	const char *name = last ? last + 1 : package;
	size_t bytes = strlen(name);

	for (; *code; code++) {
		bool begins = !out->bytes || strchr(" (", out->text[out->bytes - 1]);

		if (bytes && begins && !strncmp(code, name, bytes) && code[bytes] == '.') {
			sc_buf_add(out, sc_buf_text(&m->package));
			code += bytes - 1;
		} else {
			sc_buf_add_char(out, *code);
		}
	}
}

static void find_package(struct maker *m)
{
	const char *package = m->text->dialect->package, *last = strrchr(package, '.');
	struct sc_sources *sources = m->words->report->sources;
	struct sc_buf other = {0};

	if (!*package)
		return;
	if (sc_edit_names_package(&m->package, sources, m->text->then.frame, package)) {
		bool is_other =
			sc_edit_names_package(&other, sources, m->text->first.frame, package);

		m->text->has_one_package = is_other && !strcmp(other.text, m->package.text);
		sc_buf_fini(&other);
		return;
	}
	if (sc_edit_names_package(&m->package, sources, m->text->first.frame, package))
		return;
	m->text->is_plain = 0;
	sc_buf_add(&m->package, last ? last + 1 : package);
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

static bool is_wait(const struct maker *m, const struct sc_edit_place *place)
{
	struct sc_op op;

	return sc_reader_op(m->words->report->reader, place->op, &op) &&
	       op.kind == SC_OP_STREAM_SYNC;
}

static void add_stream(struct maker *m, struct sc_buf *out, const struct sc_frame *frame,
		       const struct sc_edit_place *place, uint32_t stream)
{
	const struct sc_named *named = sc_names_stream(m->words->report->names, stream);
	const struct sc_dialect *d = m->text->dialect;
	enum sc_stream_name found = sc_stream_name_find(out, m->words->report, frame, place);

	/* A wait in Python: `stream.synchronize()`. */
	if (found == SC_STREAM_NAME_NONE && is_wait(m, place) && frame &&
	    sc_dialect_is_python(frame->file))
		found = sc_edit_names_event(out, m->words->report->sources, frame)
				? SC_STREAM_NAME_FOUND
				: SC_STREAM_NAME_HIDDEN;
	if (found == SC_STREAM_NAME_FOUND)
		return;
	if (named && named->flags & SC_FLAG_LEGACY) {
		add_packaged(m, out, d->default_stream);
		return;
	}
	if (found == SC_STREAM_NAME_NONE && frame && *d->current &&
	    sc_dialect_is_python(frame->file) && !is_of_library(m, place->stack)) {
		add_packaged(m, out, d->current);
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
	struct sc_buf line = {0};

	if (!*code) {
		sc_buf_printf(out, "%s", call->name);
		m->text->is_plain = 0;
		return;
	}
	add_packaged(m, &line, code);
	for (code = sc_buf_text(&line); *code; code++) {
		if (*code == '$') {
			sc_buf_add(out, stream);
		} else if (event && !strncmp(code, "done", 4)) {
			sc_buf_add(out, event);
			code += 3;
		} else {
			sc_buf_add_char(out, *code);
		}
	}
	sc_buf_fini(&line);
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
	m->text->is_plain = 0;
	if (sc_dialect_is_runtime(m->text->dialect) && context)
		sc_buf_printf(out, "cudaSetDevice(%" PRIu32 "), then ", context->device);
}

/* "done", "done2", …, from a number on: what neither file has already. Other files may see it too
 * if it is no event of one file of C: then the file's name is before it. */
static void name_event(struct maker *m)
{
	struct sc_sources *sources = m->words->report->sources;
	struct sc_edit_text *t = m->text;
	unsigned most = m->number + NAMES_TRIED;

	for (; m->number <= most; m->number++) {
		sc_buf_clear(&t->event);
		if (t->first.frame && t->then.frame && !*t->dialect->package)
			sc_edit_names_stem(&t->event, t->first.frame->file, t->then.frame->file);
		sc_buf_add(&t->event, "done");
		if (m->number > 1)
			sc_buf_printf(&t->event, "%u", m->number);
		if (!sc_edit_names_has(sources, t->first.frame, t->event.text) &&
		    !sc_edit_names_has(sources, t->then.frame, t->event.text))
			return;
	}
	t->is_plain = 0;
}

static void new_event(struct maker *m)
{
	struct sc_dialect_call make = {"", m->text->dialect->event};

	name_event(m);
	choose_device(m, &m->text->make);
	if (*make.code && !strstr(make.code, "done"))
		sc_buf_printf(&m->text->make, "%s = ", m->text->event.text);
	if (*make.code)
		add_code(m, &m->text->make, &make, "", m->text->event.text);
}

static void existing_event(struct maker *m)
{
	struct sc_edit_text *t = m->text;

	if (sc_edit_names_event(&t->event, m->words->report->sources, t->first.frame))
		return;
	t->is_plain = 0;
	sc_buf_printf(&t->event, "<event %" PRIu32 ">", m->edit->event);
}

static void record_and_wait(struct maker *m)
{
	struct sc_edit_text *t = m->text;
	bool is_host = sc_edit_kind_is_host((enum sc_edit_kind)m->edit->kind);

	new_event(m);
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
	if (!sc_edit_names_event(&t->event, m->words->report->sources, t->then.frame)) {
		sc_buf_add(&t->event, "<event>");
		t->is_plain = 0;
	}
	add_code(m, &t->first.code, &t->dialect->record, sc_buf_text(&m->first_stream),
		 t->event.text);
}

static void record_only(struct maker *m)
{
	struct sc_edit_text *t = m->text;

	if (!sc_edit_names_event(&t->event, m->words->report->sources, t->then.frame)) {
		t->is_plain = 0;
		sc_buf_printf(&t->event, "<event %" PRIu32 ">", m->edit->event);
	}
	add_code(m, &t->first.code, &t->dialect->record, sc_buf_text(&m->first_stream),
		 t->event.text);
}

static void free_elsewhere(struct maker *m)
{
	sc_buf_printf(&m->text->then.code, "free it in stream %s", sc_buf_text(&m->first_stream));
}

/* The statement with the other stream, where the source shows it; else how it is given one. */
static void go_elsewhere(struct maker *m)
{
	struct sc_edit_text *t = m->text;
	struct sc_dialect_call call = {"", t->dialect->in_stream};
	bool is_current;

	if (t->is_plain && sc_edit_text_is_one_function(t) &&
	    sc_edit_names_restreamed(&t->then.code, m->words->report->sources, t->then.frame,
				     sc_buf_text(&m->first_stream))) {
		t->then.becomes = 1;
		return;
	}
	is_current = strstr(sc_buf_text(&m->first_stream), "current_stream(") != NULL;
	if (is_current) { /* another one here */
		t->is_plain = 0;
		sc_buf_add(&t->then.code, "enqueue it in the stream that is current at ");
	} else {
		add_code(m, &t->then.code, &call, sc_buf_text(&m->first_stream), NULL);
	}
	if (!t->first.frame || (!is_current && sc_edit_text_is_one_function(t)))
		return;
	sc_buf_add(&t->then.code, is_current ? "" : ", that of ");
	sc_site_add_place(&t->then.code, t->first.frame, m->words->directory);
}

/* Before the ends of the function, if the source shows them; else right after the operation. */
static void wait_in_frame(struct maker *m)
{
	struct sc_edit_text *t = m->text;
	struct sc_sources *sources = m->words->report->sources;
	bool is_known = t->is_plain && sc_edit_names_ends(&t->frame, sources, t->first.frame,
							  sc_buf_text(&m->first_stream));

	t->then.frame = NULL;
	if (!is_known) {
		add_code(m, &t->first.code, &t->dialect->stream_sync, sc_buf_text(&m->first_stream),
			 NULL);
		return;
	}
	t->end = *t->first.frame;
	t->end.line = t->frame.ends.items[0];
	t->then.frame = &t->end;
	add_code(m, &t->then.code, &t->dialect->stream_sync, sc_buf_text(&m->first_stream), NULL);
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
	t->is_plain = 0;
	sc_buf_add(&t->then.code, "let this node depend on the one of ");
	if (t->first.frame)
		sc_site_add_place(&t->then.code, t->first.frame, m->words->directory);
	else
		sc_buf_add(&t->then.code, "the first operation");
}

static void make(struct maker *m)
{
	struct sc_edit_text *t = m->text;

	switch ((enum sc_edit_kind)m->edit->kind) {
	case SC_EDIT_WAIT:
	case SC_EDIT_HOST_WAIT: wait_only(m); break;
	case SC_EDIT_RECORD: record_only(m); break;
	case SC_EDIT_MOVE: move(m); break;
	case SC_EDIT_EDGE:
		if (!t->then.is_after)
			depend(m);
		break;
	case SC_EDIT_FREE_STREAM: free_elsewhere(m); break;
	case SC_EDIT_STREAM: go_elsewhere(m); break;
	case SC_EDIT_FRAME: wait_in_frame(m); break;
	case SC_EDIT_EVENT:
	case SC_EDIT_EVENT_EACH:
	case SC_EDIT_HOST_EVENT: record_and_wait(m); break;
	case SC_EDIT_SYNC_DEVICE:
		choose_device(m, &t->then.code);
		add_code(m, &t->then.code, &t->dialect->device_sync, "", NULL);
		break;
	case SC_EDIT_SYNC_AFTER:
		add_code(m, &t->first.code, &t->dialect->stream_sync, sc_buf_text(&m->first_stream),
			 NULL);
		break;
	default:
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

static bool makes_event(const struct sc_edit *e)
{
	return e->kind == SC_EDIT_EVENT || e->kind == SC_EDIT_EVENT_EACH ||
	       e->kind == SC_EDIT_HOST_EVENT || e->kind == SC_EDIT_EDGE;
}

static void name_streams(struct maker *m, const struct sc_edit_place *first,
			 const struct sc_edit_place *then)
{
	const struct sc_edit *e = m->edit;
	struct sc_edit_text *t = m->text;

	find_package(m);
	add_stream(m, &m->first_stream, t->first.frame, first, e->stream);
	if ((e->waiting && e->kind != SC_EDIT_STREAM) || e->kind == SC_EDIT_EDGE)
		add_stream(m, &m->then_stream, t->then.frame, then, e->waiting);
	sc_buf_add(&t->stream, sc_buf_text(&m->first_stream));
}

unsigned sc_edit_text_make(struct sc_edit_text *t, const struct sc_own *own, struct sc_words *words,
			   const struct sc_edit *e, unsigned number)
{
	struct maker m = {.text = t, .words = words, .edit = e, .number = number};
	const struct sc_edit_place *first = e->kind == SC_EDIT_EDGE ? &e->nodes[0] : &e->first;
	const struct sc_edit_place *then = e->kind == SC_EDIT_EDGE ? &e->nodes[1] : &e->before;

	*t = (struct sc_edit_text){.dialect = dialect_of(words, e), .is_plain = 1};
	t->first.frame = sc_own_frame(own, first);
	t->first.is_after = 1;
	t->then.frame = sc_own_frame(own, then);
	t->is_plain = t->first.frame && t->then.frame;
	t->is_own =
		t->is_plain && sc_own_has(own, t->first.frame) && sc_own_has(own, t->then.frame);
	t->then.where = where_of(words, &e->before);
	if (e->kind == SC_EDIT_EDGE)
		t->then.is_after = sc_edit_names_dependency(&t->then.code, words->report->sources,
							    t->first.frame, t->then.frame,
							    sc_dialect_is_driver(t->dialect));
	if (!t->then.is_after)
		name_streams(&m, first, then);
	make(&m);
	sc_buf_fini(&m.first_stream);
	sc_buf_fini(&m.then_stream);
	sc_buf_fini(&m.package);
	return makes_event(e) ? m.number + 1 : number;
}

const char *sc_edit_text_threads_reason(const struct sc_edit_text *t)
{
	switch (t->threads) {
	case SC_THREADS_ONE:
	case SC_THREADS_ORDERED: break;
	case SC_THREADS_UNORDERED:
		return "its two lines run in different threads, and nothing orders these: a wait "
		       "for an event that is not recorded yet waits for nothing";
	case SC_THREADS_UNKNOWN:
		return "its two lines run in different threads, and only a trace recorded with "
		       "--hosts=strict shows whether these are ordered";
	}
	return NULL;
}

bool sc_edit_text_is_one_function(const struct sc_edit_text *t)
{
	return t->first.frame && t->then.frame &&
	       !strcmp(t->first.frame->function, t->then.frame->function) &&
	       !strcmp(t->first.frame->file, t->then.frame->file);
}

void sc_edit_text_fini(struct sc_edit_text *t)
{
	sc_source_frame_fini(&t->frame);
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
