/* Records of cuDNN's graph descriptors, by their addresses: what each is so far.
 *
 * The one table of the process, under its lock: all functions but sc_dnn_record_is_link() are for
 * those who hold it. A graph's uses are those of the engines, configurations, heuristics and plans
 * that lead to it, too, so what takes more room is counted.
 */
#pragma once

#include "interposer/core/lock.h"
#include "extensions/agents/operands/dnn_graph.h"

#define SC_DNN_LISTS 1024

struct sc_dnn_body {
	unsigned references;
	union {
		struct sc_dnn_operation operation;
		struct sc_dnn_uses graph;
		struct sc_dnn_pack pack;
	};
};

struct sc_dnn_record {
	struct sc_dnn_record *next;
	uint64_t address;
	int type; /* cudnnBackendDescriptorType_t */
	bool is_final, is_unknown;
	union {
		struct sc_dnn_tensor tensor;
		struct sc_moving_window window;
		bool picks;	   /* a pointwise function that may leave elements alone */
		int64_t workspace; /* bytes that a plan needs; -1: not asked */
	};
	struct sc_dnn_body *body; /* counted; NULL: it has none, or it is not known */
};

/* Programs keep their plans across a fork, as the library does. */
struct sc_dnn_records {
	struct sc_lock lock;
	struct sc_dnn_record *list[SC_DNN_LISTS]; /* owned, by address */
};

extern struct sc_dnn_records sc_dnn_records;

/* Where the record of an address is, or would be. */
struct sc_dnn_record **sc_dnn_record_find(uint64_t address);
void sc_dnn_record_add(int type, uint64_t address);
void sc_dnn_record_drop(uint64_t address);
/* Leads to the same graph as another one; to none that is known if that is NULL, or leads to none.
 */
void sc_dnn_record_share(struct sc_dnn_record *d, const struct sc_dnn_record *from);
/* The finalized record of an address, of which all is known, or NULL. */
const struct sc_dnn_record *sc_dnn_record_known(int64_t address);
/* The same if it is of that type. */
const struct sc_dnn_record *sc_dnn_record_complete(int64_t address, int type);
/* True for types that lead to a graph: engines, their configurations, heuristics and plans. */
bool sc_dnn_record_is_link(int type);
