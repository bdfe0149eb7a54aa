/* Host waits: calls that hold the host until something is complete (section 3, and copies that do).
 *
 * What is waited for is taken when the call is entered and learned when it returned; in between it
 * is in flight. What a thread learns, all threads know (T-3, observed); what a callback learns, it
 * knows alone.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/order/state.h"
#include "analyzer/order/step.h"

/* The caller learns that all work of a context is over. */
void sc_host_wait_learn_context(struct sc_order *o, const struct sc_step *step,
				struct sc_context *c);
/* Takes what a call waits for (hands `covers` over): learned now if the record stands for the whole
 * call, else at its END. `record`: the event record waited for, its sequence + 1. */
void sc_host_wait_take(struct sc_order *o, struct sc_step *step, struct sc_target covers,
		       enum sc_wait_kind kind, uint64_t record);
/* A WAIT op begins, or answers "not ready"; a call returns. */
void sc_host_wait_step(struct sc_order *o, struct sc_step *step);
void sc_host_wait_not_ready(struct sc_order *o, struct sc_step *step);
void sc_host_wait_end(struct sc_order *o, struct sc_step *step);
/* A call was refused: notes what it would have ordered. */
void sc_host_wait_failed(struct sc_order *o, const struct sc_step *step);
/* What a wait for the event is, which binds to this record; NULL: none that is known. */
enum sc_wait_kind sc_host_wait_kind(const struct sc_event *e,
				    const struct sc_event_record *current);
/* Notes whether the op waits for an event that cannot have been recorded (E-3, E-12). */
bool sc_host_wait_check_never(struct sc_order *o, struct sc_step *step, struct sc_event *e);
/* Position of a wait that another thread is inside of, for the context or one of its streams; 0:
 * none. */
uint64_t sc_host_wait_inside(const struct sc_order *o, uint32_t context, uint32_t thread);
void sc_host_wait_fini(struct sc_order *o);
