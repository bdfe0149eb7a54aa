/* Graphs of cuDNN: which bytes of which tensors an operation, and a graph of operations, reads and
 * writes.
 *
 * Tensors have ids; a variant pack says where each lies when a plan is executed. A virtual tensor
 * lies nowhere. Nothing here looks at memory or asks a library (dnn_descriptors.h does). What an
 * operation may leave alone is an upper bound: where the operation is of such a kind, or where what
 * it leaves alone is virtual, that holds for all tensors of its graph, since an engine need not
 * compute what nobody uses.
 */
#pragma once

#include "extensions/agents/operands/operand.h"
#include "extensions/agents/operands/tensor.h"

#define SC_DNN_USES 40 /* of an operation, or of a graph */
#define SC_DNN_PACK 64 /* tensors of a variant pack */

struct sc_dnn_tensor {
	struct sc_tensor shape;
	int64_t id;
	bool is_virtual;
	bool is_value;	   /* a number in the host's memory */
	bool is_reordered; /* elements are elsewhere among its bytes */
	bool is_unknown;   /* it has properties that are not known here */
};

/* What an operation does to a tensor. */
struct sc_dnn_use {
	int64_t id;
	int attribute;
	uint8_t role;
	bool is_virtual, is_value;
	struct sc_access
		bytes; /* as if the tensor began at address 0; none if virtual or a value */
};

struct sc_dnn_uses {
	unsigned count;
	bool is_partly, is_unknown;
	struct sc_dnn_use use[SC_DNN_USES];
};

struct sc_dnn_operation {
	int type; /* cudnnBackendDescriptorType_t */
	struct sc_dnn_uses uses;
	struct sc_moving_window window; /* of a convolution; dimensions 0: not set */
	struct sc_window_sizes sizes;
	unsigned parts; /* bits: whose sizes are known */
	int dimensions; /* that a window moves over, by these; -1: they differ */
	enum sc_scalar alpha, beta;
	int phase; /* of a normalization; -1: not set */
};

/* Where the tensors lie. */
struct sc_dnn_pack {
	unsigned ids, places;
	int64_t id[SC_DNN_PACK];
	uint64_t place[SC_DNN_PACK];
	uint64_t workspace;
	bool is_unknown;
};

/* True if a descriptor of this type is an operation that is known here. */
bool sc_dnn_is_operation(int type);
void sc_dnn_operation_init(struct sc_dnn_operation *o, int type);
/* Whether the attribute is a tensor of an operation. */
bool sc_dnn_is_tensor(int attribute);
/* Removes the tensors of an attribute, which is about to be set (again). */
void sc_dnn_operation_clear(struct sc_dnn_operation *o, int attribute);
/* Adds a tensor; NULL: one that is not known. */
void sc_dnn_operation_add(struct sc_dnn_operation *o, int attribute, const struct sc_dnn_tensor *t);
/* Adds what a finished operation, a part of this one, does to tensors; NULL: one that is not known.
 */
void sc_dnn_operation_include(struct sc_dnn_operation *o, int attribute,
			      const struct sc_dnn_operation *part);
/* All is set: decides how each tensor is used. */
void sc_dnn_operation_finish(struct sc_dnn_operation *o);

/* What a graph of finished operations does; NULL: one that is not known. */
void sc_dnn_uses_set(struct sc_dnn_uses *graph, const struct sc_dnn_operation *const *operations,
		     unsigned count);
/* What a graph touches with a pack, in at most SC_DNN_USES accesses; false: it is not known. */
bool sc_dnn_uses_place(const struct sc_dnn_uses *graph, const struct sc_dnn_pack *pack,
		       struct sc_access *list, unsigned *count);
