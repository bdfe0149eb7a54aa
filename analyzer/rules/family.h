/* Families of rules: each sees the records that concern it, after the ordering engine, and files
 * findings.
 *
 * A family is a constant of its own source file, listed in family.def, which says in which order
 * families see a record. What a family remembers is a struct of that file, zero before the first
 * record: it is passed to each hook, and no other file knows its type. What other families may ask
 * is a function in the family's header.
 *
 * A family sees the records of its kinds. Routine ops (routine_op.h), which are most, concern few
 * families: those that name their kinds as `routine`, that have `sees_all_routine`, or whose
 * `sees_routine` says so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "analyzer/model/make_finding.h"

/* Hooks that are NULL do nothing, unless said otherwise. */
struct sc_rule_family {
	size_t state_bytes;    /* of what the family remembers */
	const uint16_t *kinds; /* of ops that it sees, ended by SC_OP_NONE; NULL: all */
	/* Whether the family takes part in an analysis with these settings; NULL: it does. */
	bool (*is_on)(const struct sc_analysis_settings *settings);
	const uint16_t *routine; /* kinds of routine ops that it always sees; NULL: none */
	bool sees_all_routine;	 /* it always sees routine ops of all its kinds */
	/* Whether it sees routine ops of all its kinds, from now on; called after each op that is
	 * not routine, and after sc_families_change. NULL: it does not. */
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

/* For `is_on`: the family has advice only. */
bool sc_family_is_advice(const struct sc_analysis_settings *settings);

/* Makes a->families, which sc_families_finish frees. */
void sc_families_begin(struct sc_analysis *a);
/* Shows a record to the families that it concerns; a routine op to those that want it. */
void sc_families_step(struct sc_analysis *a, const struct sc_record *r, const struct sc_step *step);
void sc_families_step_routine(struct sc_analysis *a, const struct sc_record *r,
			      const struct sc_step *step);
void sc_families_finish(struct sc_analysis *a);

/* For a step with a routine op: what `sees_routine` of the family answers may have changed. */
void sc_families_change(struct sc_analysis *a);

/* What a family remembers, for the functions that it offers to others; NULL if it is off. */
void *sc_family_state(const struct sc_analysis *a, enum sc_family_id family);
