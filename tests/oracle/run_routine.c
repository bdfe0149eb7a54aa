/* Rules that are not asked about routine ops against rules that are asked about all ops
 * (analyzer/analysis.c), and a trace read at once against one that grows meanwhile, and against one
 * whose waits had not returned when their beginnings were read, on random programs with and without
 * races.
 *
 * Usage: run_routine PROGRAMS SEED
 *
 * All ways must find the same, whatever that is.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../traces/ways.h"
#include "tests/oracle/program.h"

/* As a trace looks whose waits go on. */
static void leave_waits_pending(struct program *p)
{
	for (size_t i = 0; i < p->slots.count; i++) {
		uint8_t *slot = (uint8_t *)&p->slots.items[i];
		uint64_t check = sc_slot_patch_check(SC_RESULT_PENDING, 0);
		int32_t pending = SC_RESULT_PENDING;
		struct sc_op op = {0};

		memcpy(&op, p->slots.items[i].data, SC_SLOT_DATA);
		if (SC_SLOT_TYPE(p->slots.items[i].head) != SC_SLOT_FIRST ||
		    op.phase != SC_PHASE_BEGIN || sc_op_kind_class(op.kind) != SC_CLASS_WAIT)
			continue;
		memcpy(slot + SC_SLOT_RESULT, &pending, sizeof(pending));
		memcpy(slot + SC_SLOT_PATCH_CHECK, &check, sizeof(check));
	}
}

static unsigned run_pending(struct program *p, struct sc_reader *returned)
{
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE};
	struct sc_reader *r;
	uint8_t *data;
	unsigned differences;

	leave_waits_pending(p);
	r = program_open(p->slots.items, p->slots.count, &data);
	differences = ways_compare_traces(returned, r, &settings);
	differences += ways_compare_steps(r, &settings, 7);
	sc_reader_free(r);
	free(data);
	return differences;
}

/* ---- both ways ---- */

static unsigned run(uint64_t seed)
{
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE};
	struct program p;
	struct sc_reader *r;
	uint8_t *data;
	unsigned differences = 0;

	program_generate(&p, seed, 0);
	r = program_open(p.slots.items, p.slots.count, &data);
	for (unsigned profile = SC_STRICT; profile <= SC_PERMISSIVE; profile++) {
		settings.profile = (enum sc_profile)profile;
		differences += ways_compare(r, &settings);
	}
	differences += run_pending(&p, r);
	settings.profile = SC_REFERENCE;
	differences += ways_compare_steps(r, &settings, 1 + (unsigned)(seed % 50));
	if (differences)
		printf("seed %llu: %u findings differ\n", (unsigned long long)seed, differences);
	sc_reader_free(r);
	free(data);
	program_fini(&p);
	return differences;
}

int main(int argc, char **argv)
{
	unsigned long programs = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;

	for (unsigned long i = 0; i < programs; i++)
		if (run(seed + i))
			return 1;
	printf("%lu programs from seed %llu: all ways find the same\n", programs,
	       (unsigned long long)seed);
	return 0;
}
