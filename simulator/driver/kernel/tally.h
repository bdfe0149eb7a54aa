/* What became of the launches, for a tool that records the program.
 *
 * Each launch that had its turn counts once: it was executed, or it was not, for a reason. Counts
 * are read without the driver's lock, at any moment, also from a signal handler: what counts is
 * never freed. The tool may also ask to be notified of kernels that fail, and then says for each
 * launch which of its own records it belongs to.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simulator/executor/touched.h"

struct sim_tally;

/* The counter of launches of a kernel that are not executed for this reason; NULL: out of memory.
 * Both texts are copied. */
struct sim_tally *sim_tally_of(const char *kernel, const char *why);

/* The same of launches that were given up: they may have done a part of their work, so that what
 * the program computes is not its own from then on. */
struct sim_tally *sim_tally_of_given_up(const char *kernel, const char *why);

/* A launch was not executed, or not to its end; NULL is let pass. */
void sim_tally_skipped(struct sim_tally *tally);

/* True once for each: its kernel is to be named. */
bool sim_tally_name_once(struct sim_tally *tally);

/* A launch was executed, to its end or to its fault. */
void sim_tally_executed(void);

/* The tool's number of the calling thread's call, 0: no tool. */
uint64_t sim_tally_current(void);

/* The kernel that was launched by call `number` has failed at that address; the text says where.
 * The tool gets its whole name before the text. */
void sim_tally_failed(uint64_t number, int error, uint64_t address, const char *kernel,
		      const char *text);

/* The tool wants to know which bytes that launch touches. */
bool sim_tally_wants_bytes(uint64_t number);

/* How many exact pieces the tool takes of a launch: few after it got very many. */
size_t sim_tally_pieces_most(void);

/* The kernel that was launched by call `number` has touched these bytes. */
void sim_tally_touched(uint64_t number, const struct exec_piece *pieces, size_t count);

/* The same of a node of the graph that was launched by it (node_bytes.h); `is_lost`: it is not
 * known what it touched. Or all kernels of that graph have ended. */
void sim_tally_node_touched(uint64_t number, uint32_t node, bool is_lost,
			    const struct exec_piece *pieces, size_t count);
void sim_tally_launch_ended(uint64_t number);

/* For tools, exported: `take` gets each counter, with its text ("KERNEL: REASON"), NULL for
 * launches that were executed. */
void simulated_countLaunches(void (*take)(void *context, uint64_t launches, const char *text,
					  bool is_given_up),
			     void *context);
void simulated_watchKernels(uint64_t (*current)(void),
			    void (*failed)(uint64_t number, int error, uint64_t address,
					   const char *text));
/* Nodes of graphs have their numbers level by level: those of the graph in the order of
 * cuGraphGetNodes, then those of the graphs inside of these. */
struct simulated_touches {
	void (*launch)(uint64_t number, const struct exec_piece *pieces, size_t count);
	void (*node)(uint64_t number, uint32_t node, bool is_lost, const struct exec_piece *pieces,
		     size_t count);
	void (*ended)(uint64_t number);
};
void simulated_watchTouches(const struct simulated_touches *watch); /* stays */
