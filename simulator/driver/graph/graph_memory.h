/* Memory of graph nodes: an address for good, an allocation from a launch to a free (rule G-13).
 *
 * The node that allocates, its copies in execs, the nodes that free, and the live allocation each
 * hold a reference; the address is given back with the last one. A graph that frees the address may
 * get it again after that, as another allocation, as graphs of a real driver do. Every launch gets
 * pages of its own, so that late accesses to a freed allocation never harm a later one in this
 * process; managed memory has the same pages each time.
 *
 * What the attributes of graph memory say: memory is used from the first launch that allocates it
 * until the device is trimmed after it was freed, also if its graph is gone by then; other memory
 * may take its place first. Reserved is the most that was used since the last trim.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "simulator/driver/driver.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/schedule/op.h"

struct sim_graph_memory {
	unsigned int refs;
	uintptr_t base;
	size_t size_bytes;
	struct sim_device *device;
	enum sim_place place;	      /* device or managed */
	struct sim_backing *for_good; /* owned; of memory that the host sees, else NULL */
	CUgraph owner;		      /* whose node allocates; compared, never followed */
	CUgraph freed_by;	      /* whose node frees, or NULL; compared, never followed */
	CUgraphNode last_free; /* the node of the owner that frees it; compared, never followed */
	int left;	       /* scratch: allocations less frees of a launch */
	bool is_instantiated;  /* an exec of the owner exists: there may be one only */
	bool is_used;	       /* counted as the device's used graph memory */
	struct sim_graph_memory *next;
};

/*
 * The memory of a node that allocates: what the graph freed before that node, or a new address.
 * False when there is none left.
 */
bool sim_graph_memory_give(CUgraphNode node, struct sim_device *device, enum sim_place place,
			   size_t size_bytes);

/* The memory, counted, for a node that wants so much there; NULL if it is other memory. */
struct sim_graph_memory *sim_graph_memory_again(struct sim_graph_memory *memory,
						const struct sim_device *device, size_t size_bytes);

struct sim_graph_memory *sim_graph_memory_get(struct sim_graph_memory *memory);
void sim_graph_memory_put(struct sim_graph_memory *memory);

/* The memory with that address, allocated or not; or NULL. */
struct sim_graph_memory *sim_graph_memory_find(CUdeviceptr address);
/* The one that the address lies in, or NULL. */
struct sim_graph_memory *sim_graph_memory_around(CUdeviceptr address);

/* May a node of the graph free it? Once in the owner, or in other graphs. Then a node does. */
CUresult sim_graph_memory_check_free(const struct sim_graph_memory *memory, CUgraph graph);
void sim_graph_memory_take_free(CUgraphNode node, struct sim_graph_memory *memory);

/* INVALID_VALUE if an exec of this graph exists already. */
CUresult sim_graph_memory_check_instance(CUgraph graph);

/* Notes that an exec exists, or that it is gone. */
void sim_graph_memory_mark_instance(CUgraph graph, bool exists);

/*
 * The allocations of a launch appear, all or none; what the last launch left is an error, or ends
 * with the op `before` this launch if that is not NULL.
 */
CUresult sim_graph_memory_begin_launch(CUgraph graph, struct sim_op *before);

/* The launch failed: they go again. Or it was enqueued: what its nodes free ends with its last op.
 */
void sim_graph_memory_undo_launch(CUgraph graph);
void sim_graph_memory_end_launch(CUgraph graph, struct sim_op *last);
