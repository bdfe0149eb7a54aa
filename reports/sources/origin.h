/* Origin: from where an object was made, in as few lines as distinguish it from its kin.
 *
 * A wrapper class makes all its objects at one line, so that line alone says nothing of which one
 * it is. Kin are the stacks at which objects of one kind (stream, allocation) were made and which
 * begin at the same line of the user's. From there outwards the lines that are the same in all of
 * them are passed over, and each other one leaves fewer. Kin are looked for among few
 * stacks: all of the kind if there are SC_ORIGIN_ALL of them or less, else those that go through
 * the same call. So a report looks up few names for it.
 */
#pragma once

#include <stdbool.h>
#include "reports/sources/site.h"

#define SC_ORIGIN_ALL	  8
#define SC_ORIGIN_OBJECTS 8

/* A stream, event or executable graph that a finding is about. */
struct sc_origin_object {
	unsigned kind; /* of the op that made it (enum sc_op_kind) */
	uint32_t id;
	uint32_t stack; /* at which it was made */
};

/* Those of a finding, streams first; how many. Without those of which it is not known where they
 * were made, and without default streams. */
size_t sc_origin_objects(struct sc_origin_object out[SC_ORIGIN_OBJECTS], const struct sc_report *r,
			 const struct sc_finding *f);
/* "stream", "event", "executable graph"; "created", "instantiated". */
const char *sc_origin_noun(unsigned kind);
const char *sc_origin_verb(unsigned kind);

/* Announces the stacks that will be asked for, for one look-up of all. */
void sc_origin_want(const struct sc_report *r);
/* Appends ", from main.cu:15, from main.cu:40", or nothing: of an object of a kind (enum
 * sc_op_kind) that was made at `stack`, of which `site` is the site. Without kin the caller is
 * appended if `has_caller` asks for it. */
void sc_origin_say(struct sc_buf *out, const struct sc_report *r, const struct sc_report_site *site,
		   unsigned kind, uint32_t stack, bool has_caller, const char *directory);

/* True if no other object of the kind comes from the line of a frame of the stack, as far as names
 * of stacks were looked up. */
bool sc_origin_is_only(const struct sc_report *r, const struct sc_frame *frame, unsigned kind,
		       uint32_t stack);
