/* Changed programs: edits applied, and the result written anew. */
#include "tests/oracle/changed.h"

#include <stdlib.h>
#include <string.h>
#include "extensions/repair/planner/applied.h"
#include "base/map.h"
#include "tests/oracle/program.h"
#include "trace/slot.h"

struct copy {
	SC_VECTOR(struct sc_slot) slots;
	struct sc_u64_map places; /* of each sequence number */
};

static void add_record(struct copy *c, const struct sc_record *r)
{
	struct sc_attachment list[8];
	uint64_t place = c->slots.count;
	struct sc_op op = r->op;
	unsigned count = 0;
	uint32_t n;

	for (uint32_t at = 0; at < r->attachment_bytes && count < 8; count++) {
		const struct sc_attach_head *head = (const void *)(r->attachments + at);

		list[count] = (struct sc_attachment){head->type, head->bytes, head + 1};
		at += (uint32_t)sizeof(*head) + ((head->bytes + 7) & ~UINT32_C(7));
	}
	if (op.link)
		op.link = *sc_u64_map_get(&c->places, op.link - 1) + 1;
	*sc_u64_map_get(&c->places, r->sequence) = place;
	n = sc_slot_count(list, count);
	sc_vector_reserve(&c->slots, n);
	memset(c->slots.items + place, 0, n * sizeof(struct sc_slot));
	sc_slot_fill(c->slots.items + place, n, &op, list, count);
	c->slots.count += n;
}

static bool has_kernel_wait(struct sc_edit *const *edits, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (edits[i] && edits[i]->kind == SC_EDIT_KERNEL_WAIT)
			return 1;
	return 0;
}

struct sc_analysis *changed_run(struct sc_reader *r, struct sc_edit *const *edits, size_t count,
				const struct sc_analysis_settings *settings)
{
	struct sc_applied applied;
	struct sc_trace_facts facts;
	struct copy c = {0};
	struct sc_analysis *a;
	struct sc_record record;
	struct sc_reader *changed;
	uint8_t *data;

	sc_trace_facts_read(&facts, r);
	if (has_kernel_wait(edits, count)) {
		sc_analysis_run(&a, r, settings);
		sc_trace_facts_note_kernels(&facts, a);
		sc_analysis_free(a);
	}
	sc_applied_begin(&applied, r, &facts, edits, count, 64);
	sc_reader_rewind(r);
	while (sc_reader_next(r, &record))
		add_record(&c, &record);
	sc_applied_end(&applied, r);
	sc_trace_facts_fini(&facts);
	changed = program_open(c.slots.items, c.slots.count, &data);
	sc_analysis_run(&a, changed, settings);
	sc_reader_free(changed);
	free(data);
	sc_vector_fini(&c.slots);
	sc_u64_map_fini(&c.places);
	return a;
}

bool changed_has(const struct sc_analysis *a, uint64_t key)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(a, &count);

	for (size_t i = 0; i < count; i++)
		if (f[i].places == key)
			return 1;
	return 0;
}
