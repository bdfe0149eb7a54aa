/* Families of rules: each sees the records that concern it, after the ordering engine, and files
 * findings.
 *
 * A family is a constant of its own source file, listed in family.def, which says in which order
 * families see a record. What a family remembers is a struct of that file, zero before the first
 * record: it is passed to each hook, and no other file knows its type. What other families may ask
 * is a function in the family's header.
 *
 * A family sees the records of its kinds. Routine ops that the fast path took
 * (routine/routine.h), which are most, concern only the families whose `sees_routine` says so.
 */
#ifndef SC_ANALYZER_RULES_FAMILY_H
#define SC_ANALYZER_RULES_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "analyzer/filing.h"

/* Hooks that are NULL do nothing, unless said otherwise. */
struct sc_rule_family {
	size_t state_bytes;    /* of what the family remembers */
	const uint16_t *kinds; /* of ops that it sees, ended by SC_OP_NONE; NULL: all */
	/* Whether the family takes part in an analysis with these settings; NULL: it does. */
	bool (*is_on)(const struct sc_analysis_settings *settings);
	/* Whether it sees what the fast path took, from now on; asked after all other records.
	 * NULL: it does not. */
	bool (*sees_routine)(const void *state, const struct sc_analysis *a);
	/* Takes a record; never NULL. */
	void (*step)(void *state, struct sc_analysis *a, const struct sc_record *r,
		     const struct sc_step *step);
	/* After the last record: files what is left, frees what the state owns. */
	void (*finish)(void *state, struct sc_analysis *a);
};

enum sc_family_id {
#define SC_FAMILY(name) SC_FAMILY_##name,
#include "analyzer/rules/family.def"
#undef SC_FAMILY
	SC_FAMILIES
};

#define SC_FAMILY(name) extern const struct sc_rule_family sc_rules_##name;
#include "analyzer/rules/family.def"
#undef SC_FAMILY

/* Makes a->families, which sc_families_finish frees. */
void sc_families_begin(struct sc_analysis *a);
/* Shows the families a record that the fast path did not take. */
void sc_families_step(struct sc_analysis *a, const struct sc_record *r, const struct sc_step *step);
/* Shows a routine op that the fast path took to those that want it; not needed if a->is_seen is
 * false. */
void sc_families_step_routine(struct sc_analysis *a, const struct sc_record *r,
			      const struct sc_step *step);
void sc_families_finish(struct sc_analysis *a);

/* What a family remembers, for the functions that it offers to others; NULL if it is off. */
void *sc_family_state(const struct sc_analysis *a, enum sc_family_id family);

#endif
