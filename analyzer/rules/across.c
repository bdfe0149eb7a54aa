/* Rules 170 to 172, 174 to 177, 408: what the comparison with other processes of the run found out
 * (extensions/ranks/across), each at the operation that it is about. */
#include "analyzer/rules/family.h"
#include "base/search.h"

static bool is_on(const struct sc_analysis_settings *settings)
{
	return settings->remark_count > 0;
}

/* SC-175 is about work of the device, most of which is routine. */
static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	(void)state;
	return a->settings.remark_count > 0;
}

/* The bytes that it is about, of those that the op uses. */
static void add_bytes(const struct sc_analysis *a, struct sc_finding *f,
		      const struct sc_remark *remark)
{
	for (size_t i = 0; remark->memory && i < a->uses.count; i++) {
		const struct sc_use *use = &a->uses.items[i];

		if (use->is_host || use->allocation->sequence != remark->memory)
			continue;
		f->allocation = remark->memory;
		f->side[0].address = use->allocation->home.range.start + remark->from;
		f->side[0].bytes = remark->bytes;
		return;
	}
}

static void file(struct sc_analysis *a, const struct sc_record *r, size_t at)
{
	const struct sc_remark *remark = &a->settings.remarks[at];
	struct sc_finding f = sc_finding_begin(remark->rule, NULL, 0, &r->op, r->sequence);

	f.remark = (uint32_t)at + 1;
	f.confidence = remark->doubt ? SC_POSSIBLE : SC_PROVEN;
	f.doubt = remark->doubt;
	f.causes[0] = remark->cause;
	add_bytes(a, &f, remark);
	sc_finding_file(a, &f, NULL, &r->op);
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	const struct sc_remark *remarks = a->settings.remarks;
	size_t at;

	(void)state;
	if (step->sequence != r->sequence) /* the end of a call */
		return;
	SC_SEARCH(at, a->settings.remark_count, remarks[at].sequence < r->sequence);
	for (; at < a->settings.remark_count && remarks[at].sequence == r->sequence; at++)
		file(a, r, at);
}

const struct sc_rule_family sc_rules_across = {
	.is_on = is_on,
	.sees_routine = sees_routine,
	.step = check_record,
};
