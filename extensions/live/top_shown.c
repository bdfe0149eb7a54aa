/* Top's processes: a list that follows what is started and what ends. */
#include "extensions/live/top_shown.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/message.h"
#include "extensions/live/ask.h"
#include "extensions/live/process_number.h"
#include "cmds/process/running.h"
#include "extensions/live/top_view.h"

#define SHOWN_MOST 64

static bool is_shown(const struct sc_top_all *a, int process)
{
	for (size_t i = 0; i < a->shown.count; i++)
		if (a->shown.items[i].number == process)
			return true;
	return false;
}

/* One that has ended meanwhile, or whose trace makes no sense, is passed over: the tool may have
 * taken the terminal. */
static void show(struct sc_top_all *a, int process, const char *trace)
{
	struct sc_top_shown s = {.number = process, .asked = sc_ask_open(trace)};

	sc_buf_clear(&a->passed_over);
	if (s.asked < 0) {
		s.own = sc_heap_xcalloc(1, sizeof(*s.own));
		if (!sc_top_process_init(s.own, process, trace, a->options, &a->passed_over)) {
			free(s.own);
			return;
		}
	}
	sc_vector_push(&a->shown, s);
}

/* Its trace has a header by now: what stands on the command line is refused without one. */
static bool is_begun(const char *trace)
{
	struct sc_follow f;
	bool is = !sc_follow_open(&f, trace);

	if (is)
		sc_follow_close(&f);
	return is;
}

static bool take_started(void *data, int process)
{
	struct sc_top_all *a = data;
	char path[PATH_MAX];

	if (is_shown(a, process) || !sc_running_own_trace(process, path) || !is_begun(path))
		return true;
	if (a->shown.count < SHOWN_MOST)
		show(a, process, path);
	else
		a->more++;
	return true;
}

/* Those of the command line, and what they started. */
static void take_all(struct sc_top_all *a)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < a->wanted.count; i++) {
		if (is_shown(a, a->wanted.items[i]))
			continue;
		if (!sc_running_trace(a->wanted.items[i], path))
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
		if (a->shown.count != before || is_shown(a, a->wanted.items[i]))
			continue;
		sc_process_number_find("top", a->wanted.items[i], path);
		sc_die("top: %s",
		       a->passed_over.bytes ? a->passed_over.text : "the process has just begun");
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
	sc_buf_fini(&a->failed);
	sc_buf_fini(&a->passed_over);
}

static void look_alone(struct sc_top_all *a, struct sc_top_shown *s, uint64_t now_ns, unsigned rows)
{
	sc_top_process_look(s->own, now_ns);
	if (s->own->is_given) {
		sc_buf_printf(&a->failed,
			      "process %d runs with option live-disk, so its trace is not kept, "
			      "and the process that follows it has ended or cannot be reached",
			      s->number);
		return;
	}
	sc_buf_clear(&s->text);
	sc_top_view_add(&s->text, s->own, now_ns, rows);
	s->has_ended = s->own->has_ended;
}

static void ask(struct sc_top_all *a, struct sc_top_shown *s, unsigned rows)
{
	struct sc_buf text = {0};
	int err = sc_ask_top(s->asked, s->number, rows, &text, &s->has_ended);

	if (err == -ETIMEDOUT)
		sc_buf_add(&a->failed, SC_ASK_LATE);
	else if (err == -EIO)
		sc_buf_printf(&a->failed, "what is known of process %d could not be read",
			      s->number);
	if (err == -ESRCH) {
		s->has_ended = false;
		sc_buf_printf(&text, "process %d: nothing was read so far\n", s->number);
	}
	if (err && err != -ESRCH) {
		s->has_ended = true; /* the run has ended: what there was last stays */
		sc_buf_fini(&text);
		return;
	}
	sc_buf_fini(&s->text);
	s->text = text;
}

static void look(struct sc_top_all *a, struct sc_top_shown *s, uint64_t now_ns, unsigned rows)
{
	if (s->has_ended || a->failed.bytes)
		return;
	if (s->own)
		look_alone(a, s, now_ns, rows);
	else
		ask(a, s, rows);
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

	a->more = 0;
	take_all(a);
	for (size_t i = 0; i < a->shown.count; i++)
		look(a, &a->shown.items[i], now_ns, rows / (unsigned)a->shown.count);
	leave_out_ended(a);
	for (size_t i = 0; i < a->shown.count; i++) {
		if (i)
			sc_buf_add_char(out, '\n');
		sc_buf_add_bytes(out, sc_buf_text(&a->shown.items[i].text),
				 a->shown.items[i].text.bytes);
		is_over &= a->shown.items[i].has_ended;
	}
	if (a->more)
		sc_buf_printf(out, "\n%zu more processes are not shown\n", a->more);
	return is_over || a->failed.bytes;
}
