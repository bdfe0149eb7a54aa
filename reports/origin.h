/* Origin: from where an object was made, in as few lines as distinguish it from its kin.
 *
 * A wrapper class makes all its objects at one line, so that line alone says nothing of which one
 * it is. Kin are the stacks at which objects of one kind (stream, allocation) were made and which
 * begin at the same line of the user's. From there outwards the lines that are the same in all of
 * them are passed over, and each other one leaves fewer. Kin are looked for among few
 * stacks: all of the kind if there are SC_ORIGIN_ALL of them or less, else those that go through
 * the same call. So a report looks up few names for it.
 */
#ifndef SC_REPORTS_ORIGIN_H
#define SC_REPORTS_ORIGIN_H

#include <stdbool.h>
#include "reports/site.h"

#define SC_ORIGIN_ALL 8

/* Announces the stacks that will be asked for, for one look-up of all. */
void sc_origin_want(const struct sc_report *r);
/* Appends ", from main.cu:15, from main.cu:40", or nothing: of an object of a kind (enum
 * sc_op_kind) that was made at `stack`, of which `site` is the site. Without kin the caller is
 * appended if `has_caller` asks for it. */
void sc_origin_say(struct sc_buf *out, const struct sc_report *r, const struct sc_report_site *site,
		   unsigned kind, uint32_t stack, bool has_caller, const char *directory);

#endif
