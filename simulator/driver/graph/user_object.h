/* User objects: what the program gives graphs to own, with a destructor (rule C-8).
 *
 * The program and graphs hold references. Copies of a graph hold their own, so an exec and the
 * graphs inside of it do. Those of an exec that ends, or is updated, end after its last launch.
 * When the last reference ends, a thread of the driver calls the destructor, in which CUDA calls
 * are refused as in host functions (C-4); no call waits for it.
 */
#pragma once

#include <stdbool.h>

#include <cuda.h>

struct sim_op;

/* References that a graph holds to one object. */
struct sim_user_reference {
	CUuserObject object; /* counted, `count` times */
	unsigned int count;
	struct sim_user_reference *next; /* owned */
};

/* Adds the references that another graph holds; false when out of memory. */
bool sim_user_references_copy(struct sim_user_reference **to,
			      const struct sim_user_reference *from);

/* Ends all of them. */
void sim_user_references_drop(struct sim_user_reference **all);

/* The same for a graph and those inside of it, once that op is done, which may be NULL. */
void sim_user_references_drop_after(CUgraph graph, struct sim_op *op);
