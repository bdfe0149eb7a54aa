/* streamcheck explore: a program in every order that CUDA leaves open between operations that touch
 * the same bytes, and whether its results are the same.
 *
 * The simulated device makes the orders (simulator/driver/schedule/pair.h), as for `run --confirm`,
 * which turns one pair round.
 */
#include <ctype.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/message.h"
#include "base/shell.h"
#include "cmds/arguments.h"
#include "cmds/command.h"
#include "cmds/process/exit_code.h"
#include "cmds/process/terminal.h"
#include "cmds/run/recording.h"
#include "cmds/standard_output.h"
#include "extensions/questions/explored_orders.h"
#include "reports/json_writer.h"
#include "reports/report.h"
#include "reports/text/text_layout.h"

/* The signal that asked for an end: the orders until then are reported. */
static volatile sig_atomic_t signal_got;

static void note_signal(int number)
{
	signal_got = number;
}

struct page {
	struct sc_buf *out;
	struct sc_report_style style;
	struct sc_buf phrase;
	struct sc_explored_orders orders;
	const char *command; /* of the program, as a shell takes it */
	size_t results;	     /* that differ */
	struct sc_json json;
};

static void print(struct page *p, const char *label)
{
	sc_layout_fact(p->out, &p->style, label, sc_buf_text(&p->phrase));
	sc_buf_clear(&p->phrase);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void add_count(struct page *p, uint64_t count, const char *noun)
{
	sc_buf_printf(&p->phrase, "%" PRIu64 " %s%s", count, noun, plural(count));
}

static void print_operations(struct page *p)
{
	char label[24];

	for (size_t i = 0; i < p->orders.all.ops.count; i++) {
		snprintf(label, sizeof(label), "%zu", i + 1);
		sc_buf_add(&p->phrase, p->orders.all.ops.items[i].text);
		print(p, label);
	}
}

/* ---- differences ---- */

/* Of output, text. */
static void add_text(struct page *p, const struct sc_run_result *r)
{
	sc_buf_add(&p->phrase, " \"");
	for (unsigned i = 0; i < r->shown; i++)
		if (r->first[i] == '\n')
			sc_buf_add(&p->phrase, "\\n");
		else
			sc_buf_add_char(&p->phrase,
					isprint((unsigned char)r->first[i]) ? r->first[i] : '.');
	sc_buf_add_char(&p->phrase, '"');
}

static void add_bytes(struct page *p, const struct sc_run_result *r)
{
	for (unsigned i = 0; i < r->shown; i++)
		sc_buf_printf(&p->phrase, " %02x", (unsigned char)r->first[i]);
}

static void add_status(struct page *p, uint64_t status)
{
	if (WIFSIGNALED((int)status))
		sc_buf_printf(&p->phrase, " signal %d", WTERMSIG((int)status));
	else
		sc_buf_printf(&p->phrase, " %d", WEXITSTATUS((int)status));
}

static void add_pair(struct page *p, const struct sc_run_result *r)
{
	const struct sc_explored_pair *pair = &p->orders.all.pairs.items[r->key[0]];
	bool is_reader = pair->pieces.items[r->key[1]].mode[0] != SC_SIDE_WRITE;

	if (r->place == SC_RESULT_LEFT)
		sc_buf_printf(&p->phrase, "what is left where %u and %u write", pair->ops.a + 1,
			      pair->ops.b + 1);
	else
		sc_buf_printf(&p->phrase, "what %u finds",
			      (is_reader ? pair->ops.a : pair->ops.b) + 1);
}

static void add_place(struct page *p, const struct sc_run_result *r)
{
	switch ((enum sc_result_place)r->place) {
	case SC_RESULT_EXIT: sc_buf_add(&p->phrase, "the exit code"); break;
	case SC_RESULT_OUTPUT: sc_buf_add(&p->phrase, "standard output"); break;
	case SC_RESULT_COPY: sc_buf_add(&p->phrase, "what a copy brought to the host"); break;
	case SC_RESULT_FOUND:
	case SC_RESULT_LEFT: add_pair(p, r); break;
	case SC_RESULT_PLACES: break;
	}
}

/* Do the bytes at hand show the difference? */
static bool is_shown(const struct sc_run_result *const r[2])
{
	return r[0]->place == SC_RESULT_EXIT || r[0]->shown != r[1]->shown ||
	       memcmp(r[0]->first, r[1]->first, r[0]->shown) != 0;
}

static void add_difference(struct page *p, const struct sc_run_difference *d)
{
	add_place(p, d->result[0]);
	if (!is_shown(d->result))
		sc_buf_printf(&p->phrase, ", after the first %u bytes", d->result[0]->shown);
	for (unsigned i = 0; i < 2 && is_shown(d->result); i++) {
		sc_buf_add(&p->phrase, i ? ", and" : ":");
		if (d->result[0]->place == SC_RESULT_EXIT)
			add_status(p, d->result[i]->digest);
		else if (d->result[0]->place == SC_RESULT_OUTPUT)
			add_text(p, d->result[i]);
		else
			add_bytes(p, d->result[i]);
	}
}

/* Of each kind of place the first. */
static void each_difference(struct page *p, size_t a, size_t b, void put(struct page *p))
{
	struct sc_run_difference d = {0};
	unsigned shown = 0;

	while (sc_explored_orders_differ(&p->orders, a, b, &d)) {
		if (!(shown >> d.result[0]->place & 1)) {
			add_difference(p, &d);
			put(p);
		}
		shown |= 1u << d.result[0]->place;
	}
}

static void print_difference(struct page *p)
{
	print(p, "differs");
}

/* ---- orders ---- */

static uint64_t count_like(const struct page *p, size_t order)
{
	uint64_t count = 0;

	for (size_t i = 0; i < p->orders.orders.count; i++)
		count += p->orders.orders.items[i].like == order;
	return count;
}

static void add_replay(struct page *p, size_t order)
{
	sc_buf_printf(&p->phrase, "STREAMCHECK_SIM_PAIR='%s' streamcheck run --device=sim -- %s",
		      p->orders.orders.items[order].pairs, p->command);
}

static void print_result(struct page *p, size_t order)
{
	size_t from;

	add_count(p, count_like(p, order), "order");
	sc_buf_printf(&p->phrase, ", as %s", p->orders.orders.items[order].sequence);
	print(p, "result");
	from = p->phrase.bytes;
	add_replay(p, order);
	sc_layout_keep(&p->phrase, from);
	print(p, "replay");
}

#define RESULTS_SHOWN 4

static void print_results(struct page *p)
{
	size_t first = 0, shown = 0;

	for (size_t i = 0; i < p->orders.orders.count; i++) {
		if (p->orders.orders.items[i].like != i || shown == RESULTS_SHOWN)
			continue;
		print_result(p, i);
		if (shown++)
			each_difference(p, first, i, print_difference);
		else
			first = i;
	}
	if (p->results > RESULTS_SHOWN) {
		add_count(p, p->results - RESULTS_SHOWN, "more result");
		print(p, "result");
	}
}

static void count_results(struct page *p)
{
	for (size_t i = 0; i < p->orders.orders.count; i++)
		p->results += p->orders.orders.items[i].like == i;
}

/* Pairs not all of whose bytes were compared. */
static uint64_t count_unseen(const struct page *p)
{
	const struct sc_explored_orders *o = &p->orders;
	uint64_t count = 0;

	for (size_t pair = 0; o->orders.count && pair < o->all.pairs.count; pair++) {
		bool is_seen = 0;

		for (size_t i = 0; i < o->orders.count && !is_seen; i++)
			is_seen = sc_run_results_have_pair(&o->orders.items[i].results, pair);
		count += !is_seen || o->all.pairs.items[pair].is_cut;
	}
	return count;
}

/* Was every order run, and every pair turned and compared? */
static bool is_whole(const struct page *p)
{
	const struct sc_explored_orders *o = &p->orders;

	return !o->is_sampled && !o->is_ended && !o->failures.count && !o->left_out.count &&
	       !count_unseen(p);
}

static void add_verdict(struct page *p)
{
	const struct sc_explored_orders *o = &p->orders;
	uint64_t count = o->orders.count;

	if (!o->all.pairs.count && o->left_out.count)
		sc_buf_add(&p->phrase, "one order: no pair of operations could be turned");
	else if (!o->all.pairs.count)
		sc_buf_add(&p->phrase, "one order: CUDA orders all operations that touch the same "
				       "bytes");
	else if (!count)
		sc_buf_add(&p->phrase, "no order could be made");
	else if (p->results > 1)
		sc_buf_printf(&p->phrase, "%zu results under %" PRIu64 " orders", p->results,
			      count);
	else
		sc_buf_printf(&p->phrase, "the same result under %s%" PRIu64 " order%s",
			      is_whole(p) ? "all " : "", count, plural(count));
	sc_buf_printf(&p->phrase, " (%u run%s)", o->all.runs, plural(o->all.runs));
}

static void add_sample(struct page *p)
{
	const struct sc_explored_orders *o = &p->orders;
	const char *least = o->open == o->open_max ? "at least " : "";

	if (signal_got)
		sc_buf_printf(&p->phrase,
			      "%s%" PRIu64 " orders were open; signal %d ended the search", least,
			      o->open, (int)signal_got);
	else if (o->is_sampled)
		sc_buf_printf(&p->phrase,
			      "%s%" PRIu64 " orders are open; these were drawn, the "
			      "same ones each time; --orders=N runs more",
			      least, o->open);
	else if (o->is_ended)
		sc_buf_add(&p->phrase, "more orders are open, since the program takes other paths "
				       "in some; --orders=N runs more");
}

static void add_unseen(struct page *p)
{
	sc_buf_add(&p->phrase, "all bytes of ");
	add_count(p, count_unseen(p), "pair");
	sc_buf_add(&p->phrase, ": no run shows them, or they are in too many pieces");
}

static void add_unsteady(struct page *p, const struct sc_run_result *r)
{
	add_place(p, r);
	sc_buf_add(&p->phrase, " differs in the same order, too");
}

static void print_gaps(struct page *p)
{
	const struct sc_explored_orders *o = &p->orders;

	for (size_t i = 0; i < o->failures.count; i++) {
		add_count(p, o->failures.items[i].count, "order");
		sc_buf_printf(&p->phrase, ": %s", o->failures.items[i].reason);
		print(p, "not made");
	}
	for (size_t i = 0; i < o->left_out.count; i++) {
		add_count(p, o->left_out.items[i].count, "pair");
		sc_buf_printf(&p->phrase, ": %s", o->left_out.items[i].reason);
		print(p, "not turned");
	}
	if (count_unseen(p)) {
		add_unseen(p);
		print(p, "not compared");
	}
	for (size_t i = 0; i < o->unsteady.count; i++) {
		add_unsteady(p, &o->unsteady.items[i]);
		print(p, "not compared");
	}
}

/* What the same result does not say. */
static void add_bounds(struct page *p)
{
	const struct sc_explored *all = &p->orders.all;
	bool has_host = 0;

	for (size_t i = 0; i < all->ops.count; i++)
		has_host |= all->ops.items[i].after[0] != 0;
	sc_buf_add(&p->phrase,
		   "other inputs; operations that overlap in time: each ran as a whole");
	if (has_host)
		sc_buf_add(&p->phrase, "; operations that end between two accesses of the host to "
				       "what one operation uses, of which the first is seen");
}

static void add_compared(struct page *p)
{
	if (p->orders.orders.count)
		sc_buf_add(&p->phrase, "exit code, standard output, copies to the host, and the "
				       "bytes of each pair: what a read finds, what "
				       "is left");
}

static void print_phrase(struct page *p, const char *label)
{
	if (p->phrase.bytes)
		print(p, label);
}

static void print_all(struct page *p)
{
	add_verdict(p);
	sc_buf_printf(p->out, "streamcheck: %s\n", sc_buf_text(&p->phrase));
	sc_buf_clear(&p->phrase);
	print_operations(p);
	if (p->results > 1)
		print_results(p);
	add_sample(p);
	print_phrase(p, "sample");
	print_gaps(p);
	if (p->results == 1)
		add_bounds(p);
	print_phrase(p, "not tried");
	add_compared(p);
	print_phrase(p, "compared");
}

/* ---- as JSON ---- */

static void put(struct page *p, const char *key)
{
	sc_json_phrase(&p->json, key, &p->phrase);
}

static void put_difference(struct page *p)
{
	put(p, NULL);
}

static void put_operations(struct page *p)
{
	const struct sc_explored *all = &p->orders.all;

	sc_json_open(&p->json, "operations", '[');
	for (size_t i = 0; i < all->ops.count; i++)
		sc_json_text(&p->json, NULL, all->ops.items[i].text);
	sc_json_close(&p->json, ']');
}

/* Numbers of operations, "1, 3, 2". */
static void put_sequence(struct page *p, const char *sequence)
{
	char *end;

	sc_json_open(&p->json, "sequence", '[');
	for (uint64_t number; (number = strtoull(sequence, &end, 10)) && end != sequence;
	     sequence = end + strspn(end, ", "))
		sc_json_number(&p->json, NULL, number);
	sc_json_close(&p->json, ']');
}

/* All of them: of a program that goes wrong in few orders these may be the last ones. */
static void put_results(struct page *p)
{
	sc_json_open(&p->json, "results", '[');
	for (size_t i = 0; i < p->orders.orders.count; i++) {
		const struct sc_explored_order *o = &p->orders.orders.items[i];

		if (o->like != i)
			continue;
		sc_json_open(&p->json, NULL, '{');
		sc_json_number(&p->json, "orders", count_like(p, i));
		put_sequence(p, o->sequence);
		add_replay(p, i);
		put(p, "replay");
		sc_json_open(&p->json, "differs", '[');
		each_difference(p, 0, i, put_difference);
		sc_json_close(&p->json, ']');
		sc_json_close(&p->json, '}');
	}
	sc_json_close(&p->json, ']');
}

static void put_reason(struct page *p, const char *reason, uint64_t count)
{
	sc_json_open(&p->json, NULL, '{');
	sc_json_number(&p->json, "count", count);
	sc_json_text(&p->json, "reason", reason);
	sc_json_close(&p->json, '}');
}

static void put_gaps(struct page *p)
{
	const struct sc_explored_orders *o = &p->orders;

	sc_json_open(&p->json, "not_made", '[');
	for (size_t i = 0; i < o->failures.count; i++)
		put_reason(p, o->failures.items[i].reason, o->failures.items[i].count);
	sc_json_close(&p->json, ']');
	sc_json_open(&p->json, "not_turned", '[');
	for (size_t i = 0; i < o->left_out.count; i++)
		put_reason(p, o->left_out.items[i].reason, o->left_out.items[i].count);
	sc_json_close(&p->json, ']');
	sc_json_open(&p->json, "not_compared", '[');
	if (count_unseen(p)) {
		add_unseen(p);
		put(p, NULL);
	}
	for (size_t i = 0; i < o->unsteady.count; i++) {
		add_unsteady(p, &o->unsteady.items[i]);
		put(p, NULL);
	}
	sc_json_close(&p->json, ']');
}

static void put_all(struct page *p)
{
	p->json = (struct sc_json){.out = p->out};
	sc_json_open(&p->json, NULL, '{');
	add_verdict(p);
	put(p, "verdict");
	sc_json_bool(&p->json, "complete", is_whole(p));
	sc_json_number(&p->json, "orders", p->orders.orders.count);
	sc_json_number(&p->json, "runs", p->orders.all.runs);
	put_operations(p);
	put_results(p);
	add_sample(p);
	put(p, "sample");
	put_gaps(p);
	if (p->results == 1)
		add_bounds(p);
	put(p, "not_tried");
	add_compared(p);
	put(p, "compared");
	sc_json_close(&p->json, '}');
}

static int finish(struct page *p, const struct sc_options *o)
{
	count_results(p);
	if (o->format == SC_FORMAT_JSON)
		put_all(p);
	else
		print_all(p);
	sc_print_and_free(p->out);
	sc_buf_fini(&p->phrase);
	if (signal_got)
		return SC_EXIT_SIGNAL + (int)signal_got;
	if (p->results > 1)
		return (int)o->exitcode;
	return is_whole(p) ? SC_EXIT_CLEAN : SC_EXIT_INCOMPLETE;
}

static void check_format(const struct sc_options *o)
{
	if (o->format != SC_FORMAT_TEXT && o->format != SC_FORMAT_JSON)
		sc_die("explore: option format is text or json here, not %s",
		       sc_report_at(o->format)->name);
}

int sc_cmd_explore(int argc, char **argv)
{
	struct sc_recording run = {0};
	int first = sc_arguments_read(&run.options, sc_command_find("explore"), argc, argv), code;
	static const int ending[] = {SIGHUP, SIGINT, SIGTERM};
	char directory[PATH_MAX];
	struct sc_buf out = {0};
	struct page p = {.out = &out};

	if (first == argc)
		sc_die("explore: no program given; usage: streamcheck explore [options] [--] "
		       "PROGRAM [ARGUMENT...]");
	check_format(&run.options);
	run.options.device = SC_RUN_SIM;
	run.options.trace[0] = '\0';
	sc_recording_init(&run, argv[first]);
	sc_terminal_style(&p.style, STDOUT_FILENO, (unsigned)run.options.color, directory);
	sc_collect_init(&run.collect);
	sc_check_set_command(&run.check, argv + first);
	sc_install_link(&run.install, run.collect.folder);
	p.command = run.check.command.text;
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (signal(ending[i], note_signal) == SIG_IGN)
			signal(ending[i], SIG_IGN);
	sc_explored_orders_run(&p.orders, &run, argv + first, p.style.directory, run.options.orders,
			       &signal_got);
	if (p.orders.failure) {
		sc_warn("explore: %s", p.orders.failure);
		code = SC_EXIT_INCOMPLETE;
	} else {
		code = finish(&p, &run.options);
	}
	sc_explored_orders_fini(&p.orders);
	sc_check_forget_command(&run.check);
	sc_collect_fini(&run.collect);
	return code;
}
