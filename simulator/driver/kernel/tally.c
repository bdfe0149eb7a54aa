/* Counters of launches, and the tool that is notified of kernels that fail. */
#include "simulator/driver/kernel/tally.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCATTERED_MOST ((size_t)1 << 21) /* 120 MB of a trace */

struct sim_tally {
	struct sim_tally *next;
	atomic_uint_fast64_t launches;
	bool is_given_up;
	bool is_named; /* under the driver's lock */
	char text[];
};

static struct sim_tally *_Atomic tallies; /* changed under the driver's lock */
static atomic_uint_fast64_t executed;
static const struct simulated_touches *_Atomic touches;
static atomic_size_t scattered; /* pieces of launches with more than EXEC_PIECES_FEW */
static uint64_t (*_Atomic current)(void);
static void (*_Atomic failed)(uint64_t number, int error, uint64_t address, const char *text);

static struct sim_tally *tally_of(const char *kernel, const char *why, bool is_given_up)
{
	size_t bytes = strlen(kernel) + strlen(why) + 3;
	struct sim_tally *t, *made = calloc(1, sizeof(*made) + bytes);

	if (!made)
		return NULL;
	snprintf(made->text, bytes, "%s: %s", kernel, why);
	made->is_given_up = is_given_up;
	for (t = atomic_load(&tallies); t; t = t->next) {
		if (strcmp(t->text, made->text))
			continue;
		free(made);
		return t;
	}
	made->next = atomic_load(&tallies);
	atomic_store(&tallies, made);
	return made;
}

struct sim_tally *sim_tally_of(const char *kernel, const char *why)
{
	return tally_of(kernel, why, false);
}

struct sim_tally *sim_tally_of_given_up(const char *kernel, const char *why)
{
	return tally_of(kernel, why, true);
}

void sim_tally_skipped(struct sim_tally *tally)
{
	if (tally)
		atomic_fetch_add(&tally->launches, 1);
}

bool sim_tally_name_once(struct sim_tally *tally)
{
	bool is_first = !tally->is_named;

	tally->is_named = true;
	return is_first;
}

void sim_tally_executed(void)
{
	atomic_fetch_add(&executed, 1);
}

uint64_t sim_tally_current(void)
{
	uint64_t (*ask)(void) = atomic_load(&current);

	return ask ? ask() : 0;
}

void sim_tally_failed(uint64_t number, int error, uint64_t address, const char *kernel,
		      const char *text)
{
	void (*notify)(uint64_t, int, uint64_t, const char *) = atomic_load(&failed);
	char *line;

	if (!notify || asprintf(&line, "%s %s", kernel, text) < 0)
		return;
	notify(number, error, address, line);
	free(line);
}

bool sim_tally_wants_bytes(uint64_t number)
{
	return number && atomic_load(&touches);
}

size_t sim_tally_pieces_most(void)
{
	return atomic_load(&scattered) < SCATTERED_MOST ? EXEC_PIECES_MOST : EXEC_PIECES_FEW;
}

static void count_pieces(size_t count)
{
	if (count > EXEC_PIECES_FEW)
		atomic_fetch_add(&scattered, count);
}

void sim_tally_touched(uint64_t number, const struct exec_piece *pieces, size_t count)
{
	const struct simulated_touches *watch = atomic_load(&touches);

	count_pieces(count);
	if (watch)
		watch->launch(number, pieces, count);
}

void sim_tally_node_touched(uint64_t number, uint32_t node, bool is_lost,
			    const struct exec_piece *pieces, size_t count)
{
	const struct simulated_touches *watch = atomic_load(&touches);

	count_pieces(count);
	if (watch)
		watch->node(number, node, is_lost, pieces, count);
}

void sim_tally_launch_ended(uint64_t number)
{
	const struct simulated_touches *watch = atomic_load(&touches);

	if (watch)
		watch->ended(number);
}

void simulated_watchTouches(const struct simulated_touches *watch)
{
	atomic_store(&touches, watch);
}

void simulated_countLaunches(void (*take)(void *context, uint64_t launches, const char *text,
					  bool is_given_up),
			     void *context)
{
	const struct sim_tally *t;
	uint64_t launches = atomic_load(&executed);

	if (launches)
		take(context, launches, NULL, false);
	for (t = atomic_load(&tallies); t; t = t->next) {
		launches = atomic_load(&t->launches);
		if (launches)
			take(context, launches, t->text, t->is_given_up);
	}
}

void simulated_watchKernels(uint64_t (*ask)(void),
			    void (*notify)(uint64_t number, int error, uint64_t address,
					   const char *text))
{
	atomic_store(&current, ask);
	atomic_store(&failed, notify);
}
