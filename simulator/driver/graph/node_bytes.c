/* Comparing what nodes touch from launch to launch. */
#include "simulator/driver/graph/node_bytes.h"

#include <stdlib.h>

#include "simulator/driver/driver.h"
#include "simulator/driver/kernel/tally.h"

#define BODY_NODES_MOST 256 /* of a launch, whose rounds are added up */

/* Instead of hashes. */
#define NEVER	0
#define UNKNOWN 1

struct sim_exec_bytes {
	unsigned int refs;
	size_t count;
	bool has_bodies;
	struct {
		uint64_t hash;
		bool is_body; /* of a condition; ran there once */
	} nodes[];
};

/* A node in the body of a condition. */
struct body_node {
	uint32_t node;
	struct exec_touched touched[EXEC_PHASES]; /* in all rounds so far */
};

struct sim_launch_bytes {
	unsigned int refs;
	uint64_t call;
	uint64_t under_way;
	struct sim_exec_bytes *exec; /* counted */
	struct body_node *body;	     /* owned */
	size_t body_count;
};

struct sim_exec_bytes *sim_exec_bytes_new(size_t count)
{
	struct sim_exec_bytes *exec = calloc(1, sizeof(*exec) + count * sizeof(exec->nodes[0]));

	if (!exec)
		return NULL;
	exec->refs = 1;
	exec->count = count;
	return exec;
}

size_t sim_exec_bytes_count(const struct sim_exec_bytes *exec)
{
	return exec ? exec->count : 0;
}

void sim_exec_bytes_put(struct sim_exec_bytes *exec)
{
	if (exec && !--exec->refs)
		free(exec);
}

struct sim_launch_bytes *sim_launch_bytes_new(struct sim_exec_bytes *exec)
{
	uint64_t call = sim_tally_current();
	struct sim_launch_bytes *launch;

	if (!exec || !sim_tally_wants_bytes(call))
		return NULL;
	launch = calloc(1, sizeof(*launch));
	if (!launch)
		return NULL;
	exec->refs++;
	*launch = (struct sim_launch_bytes){.refs = 1, .call = call, .exec = exec};
	return launch;
}

void sim_launch_bytes_get(struct sim_launch_bytes *launch)
{
	if (launch)
		launch->refs++;
}

static void free_body(struct body_node *body, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		exec_touched_fini_phases(body[i].touched);
	free(body);
}

void sim_launch_bytes_put(struct sim_launch_bytes *launch)
{
	if (!launch || --launch->refs)
		return;
	free_body(launch->body, launch->body_count);
	sim_exec_bytes_put(launch->exec);
	free(launch);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
	return hash ^ (hash >> 29);
}

static uint64_t hash_of(const struct exec_piece *pieces, size_t count)
{
	uint64_t hash = 0xCBF29CE484222325u;
	size_t i;

	for (i = 0; i < count; i++) {
		hash = mix(mix(hash, pieces[i].address), pieces[i].width);
		hash = mix(mix(hash, pieces[i].pitch), pieces[i].rows);
		hash = mix(hash, pieces[i].uses * 2u + pieces[i].is_exact);
		hash = mix(hash, pieces[i].phase);
	}
	return hash > UNKNOWN ? hash : UNKNOWN + 1;
}

/* True if the node had other bytes before; expects the lock not held. */
static bool is_news(struct sim_exec_bytes *exec, uint32_t node, uint64_t hash)
{
	bool is_other;

	if (node >= exec->count)
		return false;
	sim_lock();
	is_other = exec->nodes[node].hash != hash &&
		   (hash != UNKNOWN || exec->nodes[node].hash != NEVER);
	exec->nodes[node].hash = hash;
	sim_unlock();
	return is_other;
}

static void say(const struct sim_launch_bytes *launch, uint32_t node,
		const struct exec_touched *touched)
{
	struct exec_piece *pieces = NULL;
	bool is_lost = true;
	size_t count = 0;
	uint64_t hash;

	if (touched)
		count = exec_touched_phases(touched, sim_tally_pieces_most(), &pieces, &is_lost);
	hash = is_lost ? UNKNOWN : hash_of(pieces, count);
	if (is_news(launch->exec, node, hash))
		sim_tally_node_touched(launch->call, node, is_lost, pieces, count);
	free(pieces);
}

/* The node's sum of rounds, or NULL: there are too many. */
static struct body_node *body_node(struct sim_launch_bytes *launch, uint32_t node)
{
	size_t i;

	for (i = 0; i < launch->body_count; i++)
		if (launch->body[i].node == node)
			return &launch->body[i];
	if (launch->body_count == BODY_NODES_MOST)
		return NULL;
	if (!launch->body)
		launch->body = calloc(BODY_NODES_MOST, sizeof(*launch->body));
	if (!launch->body)
		return NULL;
	launch->body[launch->body_count].node = node;
	return &launch->body[launch->body_count++];
}

/* False: it is not kept. */
static bool add_to_body(struct sim_launch_bytes *launch, uint32_t node,
			struct exec_touched *touched)
{
	struct exec_touched lost[EXEC_PHASES] = {{.is_lost = true}};
	struct body_node *sum;

	sim_lock();
	if (node < launch->exec->count)
		launch->exec->nodes[node].is_body = launch->exec->has_bodies = true;
	sum = body_node(launch, node);
	if (sum)
		exec_touched_join_phases(sum->touched, touched ? touched : lost);
	sim_unlock();
	return sum;
}

void sim_launch_bytes_add(struct sim_launch_bytes *launch, uint32_t node, bool is_body,
			  struct exec_touched *touched)
{
	if (launch && !(is_body && add_to_body(launch, node, touched)))
		say(launch, node, is_body ? NULL : touched);
}

void sim_launch_bytes_begin(struct sim_launch_bytes *launch)
{
	if (launch)
		launch->under_way++;
}

/* What the node touched before is not said of this launch, which therefore never ends. */
void sim_launch_bytes_leave_out(struct sim_launch_bytes *launch, uint32_t node)
{
	struct sim_exec_bytes *exec = launch ? launch->exec : NULL;

	if (!exec || node >= exec->count || exec->nodes[node].hash <= UNKNOWN)
		return;
	exec->nodes[node].hash = NEVER;
	launch->under_way++;
}

/* A node in the body of a condition ran in an earlier launch, and not in this one. */
static bool has_rested(const struct sim_launch_bytes *launch, uint32_t node)
{
	bool is_known;
	size_t i;

	sim_lock();
	is_known = launch->exec->nodes[node].is_body && launch->exec->nodes[node].hash != NEVER;
	sim_unlock();
	for (i = 0; is_known && i < launch->body_count; i++)
		is_known = launch->body[i].node != node;
	return is_known && launch->body_count < BODY_NODES_MOST;
}

/* Else what it touched last would count as touched again. */
static void say_rested(const struct sim_launch_bytes *launch)
{
	const struct exec_touched nothing[EXEC_PHASES] = {0};
	uint32_t i;

	for (i = 0; launch->exec->has_bodies && i < launch->exec->count; i++)
		if (has_rested(launch, i))
			say(launch, i, nothing);
}

void sim_launch_bytes_end(struct sim_launch_bytes *launch)
{
	bool is_last;
	size_t i;

	if (!launch)
		return;
	sim_lock();
	is_last = --launch->under_way == 0;
	sim_unlock();
	if (!is_last)
		return;
	for (i = 0; i < launch->body_count; i++)
		say(launch, launch->body[i].node, launch->body[i].touched);
	say_rested(launch);
	sim_tally_launch_ended(launch->call);
}
