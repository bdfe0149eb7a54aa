/* Coverage in JSON: one member of the object a row of analyzer/model/coverage.def and
 * trace/gap.def. */
#include "reports/json_coverage.h"

/* The gaps that are there only if something was left out. */
static void put_limits(struct sc_json *w, const struct sc_coverage *c)
{
	bool is_open = 0;

	for (unsigned i = 0; i < SC_GAPS; i++) {
		if (sc_gap_rows[i].place != SC_GAP_LIMIT || !c->gaps[i])
			continue;
		if (!is_open)
			sc_json_open(w, "left_out", '{');
		is_open = 1;
		sc_json_number(w, sc_gap_rows[i].name, c->gaps[i]);
	}
	if (is_open)
		sc_json_close(w, '}');
}

static void put_windows(struct sc_json *w, const struct sc_coverage *c)
{
	sc_json_open(w, "windows", '{');
	sc_json_number(w, "count", c->windows);
	sc_json_number(w, "ops", c->window_ops);
	sc_json_number(w, "ns", c->window_ns);
	sc_json_number(w, "run_ns", c->run_ns);
	sc_json_close(w, '}');
}

void sc_json_coverage(struct sc_json *w, const struct sc_coverage *c)
{
	sc_json_open(w, "coverage", '{');
#define SC_SEEN(id, place, one, many, about) sc_json_number(w, #id, c->id);
#define SC_LAUNCHES(id, how, known, about)   sc_json_number(w, #id, c->id);
#define SC_STATE(id, otherwise, about)	     sc_json_bool(w, #id, c->id);
#include "analyzer/model/coverage.def"
	for (unsigned i = 0; i < SC_GAPS; i++)
		if (sc_gap_rows[i].place == SC_GAP_MEMBER)
			sc_json_number(w, sc_gap_rows[i].name, c->gaps[i]);
	put_limits(w, c);
	if (c->has_windows)
		put_windows(w, c);
	if (c->cut.to_ns) {
		sc_json_open(w, "cut", '{');
		sc_json_number(w, "to_ns", c->cut.to_ns);
		sc_json_number(w, "findings", c->cut.findings);
		sc_json_close(w, '}');
	}
	if (c->signal)
		sc_json_number(w, "signal", c->signal);
	if (c->ended_by_parent)
		sc_json_bool(w, "ended_by_parent", 1);
	sc_json_close(w, '}');
}
