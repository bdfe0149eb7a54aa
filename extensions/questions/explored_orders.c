/* Explored orders: decisions on a stack, the last of which is turned next. */
#include "extensions/questions/explored_orders.h"

#include <stdlib.h>
#include <string.h>
#include "base/heap.h"

#define REPEATED_MAX 4
#define SMALL_OPS    64 /* of more, orders are counted only until it is sure that they are drawn */

struct decision {
	uint32_t pair;
	uint8_t first;	/* the side that is to be first */
	bool is_turned; /* its other order was run before */
};

struct search {
	struct sc_explored_orders *out;
	SC_VECTOR(struct decision) path;
	struct sc_explored_run last; /* that showed its pairs */
	/* What the next run is given. */
	SC_VECTOR(uint32_t) pairs;
	SC_VECTOR(uint8_t) first;
	uint64_t most; /* orders */
	uint64_t tried, random;
	unsigned repeated; /* orders that were run twice */
};

static const struct sc_open_pair *pair_of(const struct search *s, uint32_t pair)
{
	return &s->out->all.pairs.items[pair].ops;
}

static bool decide(struct search *s, struct sc_open_orders *o, const struct decision *d)
{
	const struct sc_open_pair *p = pair_of(s, d->pair);

	return sc_open_orders_add(o, d->first ? p->b : p->a, d->first ? p->a : p->b);
}

/* What is ordered in the last run, and by the decisions so far. */
static void close_order(struct search *s, struct sc_open_orders *o)
{
	sc_open_orders_init(o, (uint32_t)s->out->all.ops.count);
	for (size_t i = 0; i < s->last.order.count; i++)
		sc_open_orders_add(o, s->last.order.items[i].a, s->last.order.items[i].b);
	for (size_t i = 0; i < s->path.count; i++)
		decide(s, o, &s->path.items[i]);
}

/* Decides what is open in the last run; true if anything was. */
static bool extend(struct search *s)
{
	struct sc_open_orders o;
	size_t before = s->path.count;

	close_order(s, &o);
	for (size_t i = 0; i < s->last.pairs.count; i++) {
		struct decision d = {.pair = s->last.pairs.items[i]};

		if (sc_open_orders_decides(&o, pair_of(s, d.pair)))
			continue;
		sc_vector_push(&s->path, d);
		decide(s, &o, &d);
	}
	sc_open_orders_fini(&o);
	return s->path.count > before;
}

static bool has_pair(const struct search *s, uint32_t pair)
{
	for (size_t i = 0; i < s->last.pairs.count; i++)
		if (s->last.pairs.items[i] == pair)
			return 1;
	return 0;
}

/* Decisions after the one that was turned, about pairs that this path does not have. */
static void drop_foreign(struct search *s)
{
	size_t fixed = s->path.count, kept;

	while (fixed && !s->path.items[fixed - 1].is_turned)
		fixed--;
	kept = fixed;
	for (size_t i = fixed; i < s->path.count; i++)
		if (has_pair(s, s->path.items[i].pair))
			s->path.items[kept++] = s->path.items[i];
	s->path.count = kept;
}

/* Turns the last decision that was not turned; false if there is none. */
static bool turn(struct search *s)
{
	while (s->path.count && sc_vector_last(&s->path)->is_turned)
		s->path.count--;
	if (!s->path.count)
		return 0;
	sc_vector_last(&s->path)->first ^= 1;
	sc_vector_last(&s->path)->is_turned = 1;
	return 1;
}

/* ---- one run ---- */

static void give(struct search *s, uint32_t pair, uint8_t first)
{
	sc_vector_push(&s->pairs, pair);
	sc_vector_push(&s->first, first);
}

/* All pairs of the last run, as the decisions have them, and what was decided of others. */
static void choose(struct search *s, const struct sc_open_orders *o)
{
	sc_vector_clear(&s->pairs);
	sc_vector_clear(&s->first);
	for (size_t i = 0; i < s->last.pairs.count; i++) {
		const struct sc_open_pair *p = pair_of(s, s->last.pairs.items[i]);

		give(s, s->last.pairs.items[i], sc_open_orders_has(o, p->b, p->a));
	}
	for (size_t i = 0; i < s->path.count; i++)
		if (!has_pair(s, s->path.items[i].pair))
			give(s, s->path.items[i].pair, s->path.items[i].first);
}

/* An operation cannot come between two accesses of the host with no call between them that enqueues
 * anything: the device takes its turn in calls only. */
static const char *find_obstacle(const struct search *s, const struct sc_open_orders *o)
{
	const struct sc_explored_op *ops = s->out->all.ops.items;

	for (uint32_t a = 0; a < o->ops; a++)
		for (uint32_t b = 0; ops[a].after[0] && b < o->ops; b++)
			for (uint32_t x = 0; a != b && x < o->ops; x++)
				if (!memcmp(ops[a].after, ops[b].after, sizeof(ops[a].after)) &&
				    sc_open_orders_has(o, a, x) && sc_open_orders_has(o, x, b))
					return "an operation was to run between two accesses of "
					       "the host that come after the same call";
	return NULL;
}

static void add_failure(struct sc_explored_orders *out, const char *reason)
{
	for (size_t i = 0; i < out->failures.count; i++)
		if (!strcmp(out->failures.items[i].reason, reason)) {
			out->failures.items[i].count++;
			return;
		}
	sc_vector_push(&out->failures, ((struct sc_explored_failure){reason, 1}));
}

/* Of each run, the most of each reason. */
static void note_left_out(struct sc_explored_orders *out, const struct sc_explored_run *run)
{
	for (size_t i = 0; i < run->left_out.count; i++) {
		const struct sc_left_out *new = &run->left_out.items[i];
		size_t k = 0;

		while (k < out->left_out.count &&
		       strcmp(out->left_out.items[k].reason, new->reason) != 0)
			k++;
		if (k == out->left_out.count)
			sc_vector_push(&out->left_out, *new);
		else if (out->left_out.items[k].count < new->count)
			out->left_out.items[k].count = new->count;
	}
}

/* Runs the program; NULL, and the run becomes the last one, or why that showed nothing. */
static const char *go(struct search *s, struct sc_run_results *results)
{
	struct sc_explored_run run;

	*results = (struct sc_run_results){0};
	sc_explored_go(&s->out->all, &run, s->pairs.items, s->first.items, s->pairs.count);
	note_left_out(s->out, &run);
	if (run.failure) {
		const char *failure = run.failure;

		sc_explored_run_fini(&run);
		return failure;
	}
	*results = run.results;
	run.results = (struct sc_run_results){0};
	sc_explored_run_fini(&s->last);
	s->last = run;
	return NULL;
}

/* ---- results ---- */

static bool is_steady(const struct sc_explored_orders *o, const struct sc_run_result *r)
{
	for (size_t i = 0; i < o->unsteady.count; i++)
		if (sc_run_result_is_of(&o->unsteady.items[i], r))
			return 0;
	return 1;
}

static bool find_difference(const struct sc_explored_orders *o, const struct sc_run_results *a,
			    const struct sc_run_results *b, struct sc_run_difference *d)
{
	while (sc_run_results_differ(a, b, d))
		if (is_steady(o, d->result[0]))
			return 1;
	return 0;
}

bool sc_explored_orders_differ(const struct sc_explored_orders *o, size_t a, size_t b,
			       struct sc_run_difference *d)
{
	return find_difference(o, &o->orders.items[a].results, &o->orders.items[b].results, d);
}

/* The same order again: what differs then is unsteady. */
static void run_again(struct search *s, const struct sc_run_results *results)
{
	struct sc_run_results again;
	struct sc_run_difference d = {0};

	if (!go(s, &again))
		while (find_difference(s->out, results, &again, &d))
			sc_vector_push(&s->out->unsteady, *d.result[0]);
	sc_run_results_fini(&again);
}

/* The operations of the last run, in one sequence that the order allows. */
static char *print_sequence(const struct search *s, const struct sc_open_orders *o)
{
	struct sc_buf text = {0};
	bool *is_left = sc_heap_xcalloc(o->ops + 1, sizeof(*is_left));

	for (size_t i = 0; i < s->last.pairs.count; i++)
		is_left[pair_of(s, s->last.pairs.items[i])->a] =
			is_left[pair_of(s, s->last.pairs.items[i])->b] = 1;
	for (uint32_t i = 0; i < o->ops; i++) {
		bool is_free = is_left[i];

		for (uint32_t k = 0; is_free && k < o->ops; k++)
			is_free = !is_left[k] || !sc_open_orders_has(o, k, i);
		if (!is_free)
			continue;
		sc_buf_printf(&text, "%s%u", text.bytes ? ", " : "", i + 1);
		is_left[i] = 0;
		i = UINT32_MAX; /* from the first on */
	}
	free(is_left);
	return sc_buf_take(&text);
}

static bool is_new_result(const struct sc_explored_orders *o, const struct sc_run_results *r)
{
	for (size_t i = 0; i < o->orders.count; i++) {
		struct sc_run_difference d = {0};

		if (!find_difference(o, &o->orders.items[i].results, r, &d))
			return 0;
	}
	return 1;
}

/* The first results are looked at twice: what is unsteady shows in any. */
static void add_order(struct search *s, const struct sc_open_orders *order,
		      struct sc_run_results *results)
{
	struct sc_buf pairs = {0};
	struct sc_explored_order new = {.sequence = print_sequence(s, order)};

	sc_explored_print(&pairs, &s->out->all, s->pairs.items, s->first.items, s->pairs.count);
	new.pairs = sc_buf_take(&pairs);
	for (size_t i = 0; s->out->is_sampled && i < s->out->orders.count; i++)
		if (!strcmp(s->out->orders.items[i].pairs, new.pairs)) { /* it was drawn before */
			free(new.pairs);
			free(new.sequence);
			sc_run_results_fini(results);
			return;
		}
	if (s->repeated < REPEATED_MAX && is_new_result(s->out, results)) {
		s->repeated++;
		run_again(s, results);
	}
	new.results = *results;
	sc_vector_push(&s->out->orders, new);
}

/* ---- the search ---- */

enum tried { FAILED, UNDECIDED, DONE };

/* Runs the order of the decisions. UNDECIDED: the run has pairs that they do not decide. */
static enum tried try_order(struct search *s)
{
	struct sc_run_results results;
	struct sc_open_orders o;
	const char *failure;
	enum tried tried = FAILED;

	s->tried++;
	close_order(s, &o);
	choose(s, &o);
	failure = find_obstacle(s, &o);
	sc_open_orders_fini(&o);
	if (!failure)
		failure = go(s, &results);
	if (failure) {
		if (!*s->out->all.rerun.is_stopped)
			add_failure(s->out, failure);
		return FAILED;
	}
	drop_foreign(s);
	close_order(s, &o);
	tried = DONE;
	for (size_t i = 0; i < s->last.pairs.count; i++)
		if (!sc_open_orders_decides(&o, pair_of(s, s->last.pairs.items[i])))
			tried = UNDECIDED;
	if (tried == DONE)
		add_order(s, &o, &results);
	else
		sc_run_results_fini(&results);
	sc_open_orders_fini(&o);
	return tried;
}

/* Orders that could not be run count; so do runs after which more was to be decided, a half each.
 */
static bool is_at_end(const struct search *s)
{
	return *s->out->all.rerun.is_stopped || s->out->orders.count >= s->most ||
	       s->tried >= 2 * s->most;
}

static void run_all(struct search *s)
{
	do {
		do {
			extend(s);
			if (is_at_end(s)) {
				s->out->is_ended = 1;
				return;
			}
		} while (try_order(s) == UNDECIDED);
	} while (turn(s));
}

/* xorshift64*, always from the same seed. */
static uint64_t draw(struct search *s, uint64_t below)
{
	s->random ^= s->random >> 12;
	s->random ^= s->random << 25;
	s->random ^= s->random >> 27;
	return (s->random * UINT64_C(0x2545F4914F6CDD1D) >> 11) % below;
}

/* Decides the pairs of the last run in a random order, at random. */
static void draw_order(struct search *s)
{
	size_t count = s->last.pairs.count;
	uint32_t *pairs = sc_heap_xcalloc(count + 1, sizeof(*pairs));
	struct sc_open_orders o;

	s->path.count = 0;
	close_order(s, &o);
	for (size_t i = 0; i < count; i++) {
		size_t k = draw(s, i + 1);

		pairs[i] = pairs[k];
		pairs[k] = s->last.pairs.items[i];
	}
	for (size_t i = 0; i < count; i++) {
		struct decision d = {.pair = pairs[i], .first = (uint8_t)draw(s, 2)};

		if (sc_open_orders_decides(&o, pair_of(s, d.pair)))
			continue;
		sc_vector_push(&s->path, d);
		decide(s, &o, &d);
	}
	sc_open_orders_fini(&o);
	free(pairs);
}

static void run_sample(struct search *s)
{
	s->out->is_sampled = 1;
	s->random = UINT64_C(0x9E3779B97F4A7C15);
	while (s->tried < s->most && !*s->out->all.rerun.is_stopped) {
		draw_order(s);
		try_order(s);
	}
}

static void count_open(struct search *s)
{
	struct sc_open_orders o;
	size_t count = s->last.pairs.count;
	struct sc_open_pair *pairs = sc_heap_xcalloc(count + 1, sizeof(*pairs));

	for (size_t i = 0; i < count; i++)
		pairs[i] = *pair_of(s, s->last.pairs.items[i]);
	close_order(s, &o);
	s->out->open_max =
		o.ops > SMALL_OPS || s->most >= SC_OPEN_COUNT_MAX ? s->most + 1 : SC_OPEN_COUNT_MAX;
	s->out->open = sc_open_orders_count(&o, pairs, count, s->out->open_max);
	sc_open_orders_fini(&o);
	free(pairs);
}

/* Orders like an earlier one, now that it is known what is unsteady. */
static void group(struct sc_explored_orders *o)
{
	for (size_t i = 0; i < o->orders.count; i++) {
		struct sc_explored_order *order = &o->orders.items[i];

		order->like = i;
		for (size_t k = 0; k < i && order->like == i; k++) {
			struct sc_run_difference d = {0};

			if (o->orders.items[k].like == k && !sc_explored_orders_differ(o, k, i, &d))
				order->like = k;
		}
	}
}

void sc_explored_orders_run(struct sc_explored_orders *o, struct sc_recording *recording,
			    char **argv, const char *directory, uint64_t most,
			    const volatile sig_atomic_t *is_stopped)
{
	struct search s = {.out = o, .most = most};
	struct sc_run_results results;

	*o = (struct sc_explored_orders){0};
	sc_explored_begin(&o->all, recording, argv, directory);
	o->all.rerun.is_stopped = is_stopped;
	o->failure = go(&s, &results);
	sc_run_results_fini(&results);
	if (!o->failure) {
		count_open(&s);
		if (o->open > most)
			run_sample(&s);
		else if (s.last.pairs.count)
			run_all(&s);
		group(o);
	}
	sc_vector_fini(&s.path);
	sc_vector_fini(&s.pairs);
	sc_vector_fini(&s.first);
	sc_explored_run_fini(&s.last);
}

void sc_explored_orders_fini(struct sc_explored_orders *o)
{
	for (size_t i = 0; i < o->orders.count; i++) {
		free(o->orders.items[i].pairs);
		free(o->orders.items[i].sequence);
		sc_run_results_fini(&o->orders.items[i].results);
	}
	sc_vector_fini(&o->orders);
	sc_vector_fini(&o->failures);
	sc_vector_fini(&o->left_out);
	sc_vector_fini(&o->unsteady);
	sc_explored_fini(&o->all);
}
