/* The wrappers of cuDNN's functions (dnn.def). */
#include <stddef.h>
#include "extensions/agents/operands/dnn_calls.h"
#include "extensions/agents/operands/dnn_descriptors.h"
#include "extensions/agents/operands/function.h"
#include "extensions/agents/wrap.h"

/* ---- graphs ---- */

/* Of what was asked for and what there is. */
#define FEWER(room, count) ((count) && *(count) < (room) ? *(count) : (room))

#define BACKEND SC_WRAP_ALWAYS
#define EXECUTION(name, parameters, arguments)                                                    \
	SC_WRAP(name, parameters, arguments,                                                      \
		sc_dnn_descriptors_note(enqueues, &sc_operand_functions.name, (void *)real, plan, \
					pack))

/* Which nodes an update changes is not told, and the program may copy them into other graphs, so
 * what they touch is known by their parameters. */
#define FILLING(name, parameters, arguments) \
	SC_WRAP(name, parameters, arguments, sc_dnn_descriptors_fill(&sc_operand_functions.name))

/* ---- other functions ---- */

#define WINDOW(descriptor)	      .convolution = (descriptor)
#define POOLING(descriptor)	      .pooling = (descriptor)
#define SCALED(its_alpha, its_beta)   .alpha[0] = (its_alpha), .beta[0] = (its_beta)
#define SCALED_2(its_alpha, its_beta) .alpha[1] = (its_alpha), .beta[1] = (its_beta)
#define PARTLY			      .is_partly = true
#define OPERANDS(...)		      .operand = {__VA_ARGS__}

static struct sc_dnn_operand tensor(const void *descriptor, const void *at, uint8_t mode)
{
	return (struct sc_dnn_operand){
		.kind = SC_DNN_AS_TENSOR, .descriptor = descriptor, .at = at, .mode = mode};
}

static struct sc_dnn_operand sum(const void *descriptor, const void *at, uint8_t number)
{
	struct sc_dnn_operand o = tensor(descriptor, at, SC_WRITE);

	o.sum = number;
	return o;
}

static struct sc_dnn_operand partly(struct sc_dnn_operand o)
{
	o.is_partly = true;
	return o;
}

static struct sc_dnn_operand as(enum sc_dnn_kind kind, struct sc_dnn_operand o)
{
	o.kind = kind;
	return o;
}

static struct sc_dnn_operand at_part(enum sc_window_part part, struct sc_dnn_operand o)
{
	o.part = part;
	return o;
}

static struct sc_dnn_operand memory(const void *at, size_t bytes, uint8_t mode)
{
	return (struct sc_dnn_operand){
		.kind = SC_DNN_AS_BYTES, .at = at, .bytes = bytes, .mode = mode};
}

#define IN(descriptor, at)	tensor(descriptor, at, SC_READ)
#define OUT(descriptor, at)	tensor(descriptor, at, SC_WRITE)
#define IN_OUT(descriptor, at)	tensor(descriptor, at, SC_READ_WRITE)
#define MAY_IN(descriptor, at)	partly(IN(descriptor, at))
#define MAY_OUT(descriptor, at) partly(OUT(descriptor, at))
#define SUM(descriptor, at)	sum(descriptor, at, 1)
#define SUM_2(descriptor, at)	sum(descriptor, at, 2)
#define RUNNING(factor, descriptor, at) \
	tensor(descriptor, at, (factor) < 1 || (factor) > 1 ? SC_READ_WRITE : SC_WRITE)
#define AT(part, operand)      at_part(SC_WINDOW_##part, operand)
#define FILTER(operand)	       as(SC_DNN_AS_FILTER, operand)
#define SEQUENCES(operand)     as(SC_DNN_AS_SEQUENCES, operand)
#define LENGTHS(operand)       as(SC_DNN_AS_LENGTHS, operand)
#define SAMPLES(operand)       as(SC_DNN_AS_SAMPLES, operand)
#define GRID(operand)	       as(SC_DNN_AS_GRID, operand)
#define SCRATCH(at, bytes)     memory(at, bytes, SC_READ_WRITE)
#define SAVED(mode, at, bytes) memory(at, bytes, SC_##mode)
#define DROPOUT(dropout)       as(SC_DNN_AS_DROPOUT, tensor(dropout, NULL, SC_READ_WRITE))
#define STATES(network)	       as(SC_DNN_AS_STATES, tensor(network, NULL, SC_READ_WRITE))

#define DNN(name, parameters, arguments, ...)                                         \
	SC_WRAP(name, parameters, arguments,                                          \
		sc_dnn_calls_note(enqueues, &sc_operand_functions.name, (void *)real, \
				  &(struct sc_dnn_call){.handle = h, __VA_ARGS__}))
#include "extensions/agents/operands/dnn.def"

static const struct sc_wrapper wrappers[] = {
#define BACKEND(name, parameters, arguments, before, after) \
	SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#define EXECUTION(name, parameters, arguments) \
	SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#define FILLING(name, parameters, arguments) \
	SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#define DNN(name, parameters, arguments, ...) \
	SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#include "extensions/agents/operands/dnn.def"
};

const struct sc_wrappers sc_dnn_wrappers = SC_WRAPPERS("cudnn", sc_operand_table, wrappers);
