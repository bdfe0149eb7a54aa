/* Top's view: one table of streams, one of threads, below a head of four lines. */
#include "extensions/live/top_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "reports/utf8.h"

#define HEAD_LINES  3
#define TABLE_LINES 4 /* two heads, two empty lines */
#define NAME_WIDTH  28
#define CALL_WIDTH  32
#define SECOND	    1e9

/* What is shown of streams and threads, chosen before places are looked up. */
struct view {
	struct sc_top_process *p;
	struct sc_buf *out;
	uint64_t now_ns;
	SC_VECTOR(const struct sc_top_stream *) streams;
	SC_VECTOR(const struct sc_top_thread *) threads;
	size_t streams_left_out;
};

static uint64_t in_flight(const struct sc_top_stream *s)
{
	return s->enqueued - s->complete;
}

/* ---- small things ---- */

/* Text of any origin, cut or filled to a width. */
static void add_column(struct sc_buf *out, const char *text, size_t width)
{
	size_t start = out->bytes, columns;

	sc_utf8_add_cut(out, text, width);
	columns = sc_utf8_columns(sc_buf_text(out) + start, out->bytes - start);
	sc_buf_fill(out, ' ', width - columns + 2);
}

static void add_bytes(struct sc_buf *out, uint64_t bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 1024 && unit + 1 < sizeof(units) / sizeof(*units)) {
		value /= 1024;
		unit++;
	}
	sc_buf_printf(out, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void add_time(struct sc_buf *out, double seconds)
{
	if (seconds < 1)
		sc_buf_printf(out, "%.0f ms", seconds * 1e3);
	else if (seconds < 120)
		sc_buf_printf(out, "%.1f s", seconds);
	else
		sc_buf_printf(out, "%.0f min", seconds / 60);
}

static void end_line(struct sc_buf *out)
{
	while (out->bytes && out->text[out->bytes - 1] == ' ')
		out->text[--out->bytes] = '\0';
	sc_buf_add_char(out, '\n');
}

/* ---- the head ---- */

static void add_process(const struct view *v)
{
	struct sc_top_process *p = v->p;
	uint64_t start = sc_reader_header(p->reader)->start_ns;

	sc_buf_printf(v->out, "process %d", p->number);
	if (p->names.rank >= 0)
		sc_buf_printf(v->out, ", rank %d", p->names.rank);
	if (*p->names.command) {
		sc_buf_add(v->out, ": ");
		sc_utf8_add_clean(v->out, p->names.command);
	}
	if (p->has_ended) {
		sc_buf_add(v->out, ", has ended");
	} else if (v->now_ns > start) {
		sc_buf_add(v->out, ", since ");
		add_time(v->out, (double)(v->now_ns - start) / SECOND);
	}
	end_line(v->out);
}

static void add_counts(const struct view *v)
{
	struct sc_top_process *p = v->p;
	uint64_t errors = 0, warnings = 0, possible = 0;
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(p->analysis, &count);

	for (; count; count--, f++) {
		possible += f->confidence == SC_POSSIBLE && f->severity != SC_ADVICE;
		errors += f->confidence != SC_POSSIBLE && f->severity == SC_ERROR;
		warnings += f->confidence != SC_POSSIBLE && f->severity == SC_WARNING;
	}
	sc_words_count(v->out, p->operations, "operation");
	sc_buf_printf(v->out, ", %.0f a second, %" PRIu64 " not read yet; findings: ", p->rate,
		      p->behind);
	sc_words_count(v->out, errors, "error");
	sc_buf_add(v->out, ", ");
	sc_words_count(v->out, warnings, "warning");
	sc_buf_printf(v->out, ", %" PRIu64 " possible\n", possible);
}

static void add_memory(const struct view *v)
{
	const char *between = "memory: ";

	for (unsigned i = 0; i < SC_MEM_KINDS; i++) {
		const struct sc_top_memory *m = &v->p->state.memory[i];

		if (!m->count)
			continue;
		sc_buf_printf(v->out, "%s%s ", between, sc_memory_text(i));
		add_bytes(v->out, m->bytes);
		sc_buf_printf(v->out, " in %" PRIu64, m->count);
		between = ", ";
	}
	sc_buf_add(v->out, *between == 'm' ? "memory: none\n" : "\n");
}

/* ---- streams and threads ---- */

/* The call as the program made it: of the runtime if it used that. */
static void add_call(struct sc_buf *out, const struct view *v, const struct sc_op *op)
{
	const struct sc_top_place *place = sc_top_process_place(v->p, op);
	const char *call = sc_reader_string(v->p->reader, op->call);

	if (op->kind == SC_OP_KERNEL)
		sc_words_kernel(out, &v->p->words, op->object);
	else
		sc_utf8_add_clean(out, place->call ? place->call : call);
}

static void add_place(const struct view *v, const struct sc_op *op)
{
	const struct sc_top_place *place = sc_top_process_place(v->p, op);

	if (!place->place)
		return;
	sc_buf_add(v->out, " at ");
	sc_utf8_add_clean(v->out, place->place);
}

static void add_stream(const struct view *v, const struct sc_top_stream *s)
{
	struct sc_buf name = {0};

	sc_words_stream_name(&name, &v->p->words, s->id);
	add_column(v->out, sc_buf_text(&name), NAME_WIDTH);
	sc_buf_fini(&name);
	sc_buf_printf(v->out, "%10" PRIu64 " %10" PRIu64 " %10" PRIu64 "  ", s->enqueued,
		      s->complete, in_flight(s));
	if (s->enqueued) {
		add_call(v->out, v, &s->last);
		add_place(v, &s->last);
	}
	end_line(v->out);
}

static void add_streams(const struct view *v)
{
	sc_buf_printf(v->out, "\n%-*s  %10s %10s %10s  %s\n", NAME_WIDTH, "STREAM", "ENQUEUED",
		      "COMPLETE", "IN FLIGHT", "LAST");
	for (size_t i = 0; i < v->streams.count; i++)
		add_stream(v, v->streams.items[i]);
	if (v->streams_left_out)
		sc_buf_printf(v->out, "and %zu more streams\n", v->streams_left_out);
}

static void add_thread(const struct view *v, const struct sc_top_thread *t)
{
	const char *name = sc_reader_name(v->p->reader, SC_NAMES_THREAD, t->id);
	struct sc_buf text = {0};

	sc_buf_printf(&text, "thread %" PRIu32, t->id);
	sc_words_name(&text, name);
	add_column(v->out, sc_buf_text(&text), NAME_WIDTH);
	sc_buf_clear(&text);
	if (sc_top_state_is_inside(t, v->p->reader)) {
		add_call(&text, v, &t->last);
		add_column(v->out, sc_buf_text(&text), CALL_WIDTH);
		sc_buf_add(v->out, "for ");
		add_time(v->out, v->now_ns > t->last.time_ns
					 ? (double)(v->now_ns - t->last.time_ns) / SECOND
					 : 0);
		add_place(v, &t->last);
	} else {
		sc_buf_add(v->out, "-");
	}
	sc_buf_fini(&text);
	end_line(v->out);
}

static void add_threads(const struct view *v)
{
	sc_buf_printf(v->out, "\n%-*s  %s\n", NAME_WIDTH, "THREAD", "INSIDE");
	for (size_t i = 0; i < v->threads.count; i++)
		add_thread(v, v->threads.items[i]);
}

/* ---- what is shown ---- */

/* Those with most in flight first. */
static int by_flight(const void *a, const void *b)
{
	const struct sc_top_stream *x = *(const struct sc_top_stream *const *)a;
	const struct sc_top_stream *y = *(const struct sc_top_stream *const *)b;

	if (in_flight(x) != in_flight(y))
		return in_flight(x) < in_flight(y) ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Destroyed streams are shown while something of them is in flight. */
static void choose(struct view *v, unsigned rows)
{
	const struct sc_top_state *s = &v->p->state;
	size_t most;

	for (size_t i = 0; i < s->threads.count; i++)
		sc_vector_push(&v->threads, &s->threads.items[i]);
	for (size_t i = 0; i < s->streams.count; i++)
		if (!s->streams.items[i].is_destroyed || in_flight(&s->streams.items[i]))
			sc_vector_push(&v->streams, &s->streams.items[i]);
	if (v->streams.count)
		qsort(v->streams.items, v->streams.count, sizeof(*v->streams.items), by_flight);
	if (!rows)
		return;
	most = rows > HEAD_LINES + TABLE_LINES ? rows - HEAD_LINES - TABLE_LINES : 1;
	if (v->threads.count > most / 2 + 1)
		v->threads.count = most / 2 + 1;
	most = most > v->threads.count + 1 ? most - v->threads.count : 1;
	if (v->streams.count <= most)
		return;
	most -= most > 1; /* for the line that says so */
	v->streams_left_out = v->streams.count - most;
	v->streams.count = most;
}

static void find_places(struct view *v)
{
	SC_VECTOR(struct sc_op) ops = {0};

	for (size_t i = 0; i < v->streams.count; i++)
		sc_vector_push(&ops, v->streams.items[i]->last);
	for (size_t i = 0; i < v->threads.count; i++)
		sc_vector_push(&ops, v->threads.items[i]->last);
	sc_top_process_find_places(v->p, ops.items, ops.count);
	sc_vector_fini(&ops);
}

void sc_top_view_add(struct sc_buf *out, struct sc_top_process *p, uint64_t now_ns, unsigned rows)
{
	struct view v = {.p = p, .out = out, .now_ns = now_ns};

	choose(&v, rows);
	find_places(&v);
	add_process(&v);
	add_counts(&v);
	add_memory(&v);
	add_streams(&v);
	add_threads(&v);
	sc_vector_fini(&v.streams);
	sc_vector_fini(&v.threads);
}
