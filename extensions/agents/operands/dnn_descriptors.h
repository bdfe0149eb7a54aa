/* Descriptors of cuDNN's graphs: what each is, from the calls that make it.
 *
 * A plan that is executed leads, by its engine and that one's configuration, to a graph of
 * operations on tensors. All are opaque objects whose attributes are set one by one; each is kept
 * here by its address, with what the tensors, operations and packs say. An object that was not seen
 * made, that was made from text, or has attributes that are not known here, is unknown, and nothing
 * is said of what its plan touches. One call may be followed twice, because cuDNN's libraries call
 * each other: that changes nothing.
 */
#pragma once

#include "extensions/agents/operands/dnn_attributes.h"
#include "interposer/library/enqueues.h"

/* Calls that returned success; all keep errno. */
void sc_dnn_descriptors_create(int type, const void *descriptor);
void sc_dnn_descriptors_set(const void *descriptor, const struct sc_dnn_values *values);
/* The library answered: what it filled in is of the same graph. */
void sc_dnn_descriptors_answer(const void *descriptor, const struct sc_dnn_values *values);
void sc_dnn_descriptors_finalize(const void *descriptor);
/* Before the call: the address may be another descriptor's right after it. */
void sc_dnn_descriptors_destroy(const void *descriptor);
/* A plan was executed: writes what it touched. `real` is the function that did. */
void sc_dnn_descriptors_note(const struct sc_enqueues *e, struct sc_library_function *function,
			     void *real, const void *plan, const void *pack);
/* A plan's kernels became nodes of a graph, or nodes of it were changed by a plan: says once of
 * each function that this is not followed. */
void sc_dnn_descriptors_fill(struct sc_library_function *function);
