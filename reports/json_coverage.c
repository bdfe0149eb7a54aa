/* Coverage in JSON: one member of the object a field of struct sc_coverage. */
#include "reports/json_coverage.h"

/* The other gaps, as far as there are any. */
static void put_left_out(struct sc_json *w, const struct sc_coverage *c)
{
	uint64_t all = 0;

	for (unsigned i = SC_GAP_operands; i < SC_GAPS; i++)
		all |= c->gaps[i];
	if (!all)
		return;
	sc_json_open(w, "left_out", '{');
	for (unsigned i = SC_GAP_operands; i < SC_GAPS; i++)
		if (c->gaps[i])
			sc_json_number(w, sc_gap_rows[i].name, c->gaps[i]);
	sc_json_close(w, '}');
}

void sc_json_coverage(struct sc_json *w, const struct sc_coverage *c)
{
	sc_json_open(w, "coverage", '{');
#define NUMBER(member) sc_json_number(w, #member, c->member)
	NUMBER(ops);
	NUMBER(contexts);
	NUMBER(streams);
	NUMBER(copies);
	NUMBER(kernels);
	NUMBER(exact_launches);
	NUMBER(bounded_launches);
	NUMBER(parameter_launches);
	NUMBER(open_launches);
	NUMBER(uncompared_views);
	NUMBER(leftover_structs);
	NUMBER(host_accesses);
	NUMBER(waits);
	NUMBER(calls_in_flight);
	NUMBER(lost);
	NUMBER(damaged);
	NUMBER(unknown_calls);
	NUMBER(faulted);
	NUMBER(unwatched);
	NUMBER(undeclared);
	if (c->signal)
		NUMBER(signal);
#undef NUMBER
	sc_json_bool(w, "driver_seen", c->driver_seen);
	sc_json_bool(w, "closed", c->closed);
	put_left_out(w, c);
	sc_json_close(w, '}');
}
