/* Top's processes: a list that follows what is started and what ends. */
#include "cmds/top_shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/message.h"
#include "cmds/ask.h"
#include "cmds/process_number.h"
#include "cmds/running.h"
#include "cmds/top_view.h"

#define SHOWN_MOST 64

static bool is_shown(const struct sc_top_all *a, int process)
{
	for (size_t i = 0; i < a->shown.count; i++)
		if (a->shown.items[i].number == process)
			return true;
	return false;
}

static void show(struct sc_top_all *a, int process, const char *trace)
{
	struct sc_top_shown s = {.number = process, .asked = sc_ask_open(trace)};

	if (s.asked < 0) {
		s.own = sc_heap_xcalloc(1, sizeof(*s.own));
		sc_top_process_init(s.own, process, a->options);
	}
	sc_vector_push(&a->shown, s);
}

static bool take_started(void *data, int process)
{
	struct sc_top_all *a = data;
	char path[PATH_MAX];

	if (a->shown.count < SHOWN_MOST && !is_shown(a, process) &&
	    sc_running_own_trace(process, path))
		show(a, process, path);
	return true;
}

/* Those of the command line, and what they started. */
static void take_all(struct sc_top_all *a)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < a->wanted.count; i++) {
		if (is_shown(a, a->wanted.items[i]))
			continue;
		if (sc_running_own_trace(a->wanted.items[i], path))
			show(a, a->wanted.items[i], path);
		else
			sc_running_each_started(a->wanted.items[i], take_started, a);
	}
}

void sc_top_all_init(struct sc_top_all *a, const struct sc_options *o, char **ids, size_t count)
{
	char path[PATH_MAX];

	*a = (struct sc_top_all){.options = o};
	for (size_t i = 0; i < count; i++) {
		size_t before = a->shown.count;

		sc_vector_push(&a->wanted, sc_process_number_read("top", ids[i]));
		take_all(a);
		if (a->shown.count == before && !is_shown(a, a->wanted.items[i]))
			sc_process_number_find("top", a->wanted.items[i], path);
	}
}

static void close_one(struct sc_top_shown *s)
{
	if (s->asked >= 0)
		close(s->asked);
	if (s->own) {
		sc_top_process_fini(s->own);
		free(s->own);
	}
	sc_buf_fini(&s->text);
}

void sc_top_all_fini(struct sc_top_all *a)
{
	for (size_t i = 0; i < a->shown.count; i++)
		close_one(&a->shown.items[i]);
	sc_vector_fini(&a->shown);
	sc_vector_fini(&a->wanted);
}

static void look(struct sc_top_shown *s, uint64_t now_ns, unsigned rows)
{
	struct sc_buf text = {0};

	if (s->has_ended)
		return;
	if (s->own) {
		sc_top_process_look(s->own, now_ns);
		if (s->own->is_given)
			sc_die("top: process %d runs with option live-disk, so its trace is not "
			       "kept, and the process that follows it has ended or cannot be "
			       "reached",
			       s->number);
		sc_top_view_add(&text, s->own, now_ns, rows);
		s->has_ended = s->own->has_ended;
	} else if (!sc_ask_top(s->asked, s->number, rows, &text, &s->has_ended)) {
		s->has_ended = true; /* the run has ended: what there was last stays */
		sc_buf_fini(&text);
		return;
	}
	sc_buf_fini(&s->text);
	s->text = text;
}

static void leave_out_ended(struct sc_top_all *a)
{
	size_t kept = 0, alive = 0;

	for (size_t i = 0; i < a->shown.count; i++)
		alive += !a->shown.items[i].has_ended;
	for (size_t i = 0; alive && i < a->shown.count; i++) {
		if (a->shown.items[i].has_ended)
			close_one(&a->shown.items[i]);
		else
			a->shown.items[kept++] = a->shown.items[i];
	}
	a->shown.count = alive ? kept : a->shown.count;
}

bool sc_top_all_add(struct sc_top_all *a, struct sc_buf *out, uint64_t now_ns, unsigned rows)
{
	bool is_over = true;

	take_all(a);
	for (size_t i = 0; i < a->shown.count; i++)
		look(&a->shown.items[i], now_ns, rows / (unsigned)a->shown.count);
	leave_out_ended(a);
	for (size_t i = 0; i < a->shown.count; i++) {
		if (i)
			sc_buf_add_char(out, '\n');
		sc_buf_add_bytes(out, sc_buf_text(&a->shown.items[i].text),
				 a->shown.items[i].text.bytes);
		is_over &= a->shown.items[i].has_ended;
	}
	return is_over;
}
