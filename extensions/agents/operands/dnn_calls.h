/* Calls of cuDNN whose operands its manual describes: tensors, by their descriptors and addresses.
 *
 * The library is asked what a descriptor says. A call with an operand that is not known, or makes
 * no sense, says nothing.
 */
#pragma once

#include "interposer/library/enqueues.h"
#include "extensions/agents/operands/tensor.h"

#define SC_DNN_OPERANDS 16

enum sc_dnn_kind {
	SC_DNN_AS_NOTHING, /* behind the last one */
	SC_DNN_AS_TENSOR,
	SC_DNN_AS_FILTER,
	SC_DNN_AS_SEQUENCES, /* data of a recurrent network */
	SC_DNN_AS_LENGTHS,   /* a number for each sequence */
	SC_DNN_AS_SAMPLES,   /* an element for each second size of a tensor */
	SC_DNN_AS_GRID,	     /* two elements for each place of a tensor of images */
	SC_DNN_AS_BYTES,
	SC_DNN_AS_DROPOUT, /* what a dropout descriptor draws its random numbers from */
	SC_DNN_AS_STATES   /* the same of a recurrent network's */
};

struct sc_dnn_operand {
	enum sc_dnn_kind kind;
	const void *descriptor;
	const void *at; /* NULL: it is left out */
	uint64_t bytes;
	uint8_t mode;
	uint8_t sum; /* 1, 2: it is read unless the beta of this number is 0 */
	bool is_partly;
	enum sc_window_part part;
};

struct sc_dnn_call {
	void *handle;
	const void *convolution, *pooling; /* descriptor of the window, NULL: none */
	const void *alpha[2], *beta[2];	   /* in host memory; NULL: there are none */
	bool is_partly;			   /* of each operand, perhaps not all is used */
	struct sc_dnn_operand operand[SC_DNN_OPERANDS];
};

/* A function was called and returned success: writes what it touched. Keeps errno. */
void sc_dnn_calls_note(const struct sc_enqueues *e, struct sc_library_function *function,
		       void *real, const struct sc_dnn_call *call);
