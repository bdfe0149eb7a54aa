/* The doubts about ops that the host was not seen to wait for. */
#include "analyzer/rules/in_flight.h"

#include "analyzer/model/make_finding.h"

static enum sc_doubt doubt_of(const struct sc_analysis *a, uint32_t lane, uint64_t position,
			      const struct sc_step *step)
{
	const struct sc_order *o = &a->order;
	struct sc_interval op = {.lane = lane, .position = position};
	enum sc_doubt unseen;

	if (sc_clock_at(o->callbacks.handed, lane) >= position)
		return SC_DOUBT_HANDED_OVER;
	if (sc_talk_may_end(&o->talks, &op))
		return SC_DOUBT_TALK;
	unseen = sc_order_unseen(o, position - 1);
	if (unseen == SC_DOUBT_NONE)
		unseen = sc_signal_may_order(&o->signals, &op, &step->host, step->inside != NULL);
	return unseen;
}

void sc_in_flight_judge(const struct sc_analysis *a, uint32_t lane, uint64_t position,
			const struct sc_step *step, struct sc_finding *f)
{
	struct sc_interval op = {.lane = lane, .position = position, .entered = position};

	f->doubt = doubt_of(a, lane, position, step);
	if (f->doubt != SC_DOUBT_NONE)
		f->confidence = SC_POSSIBLE;
	if (f->doubt == SC_DOUBT_HANDED_OVER)
		f->severity = SC_WARNING;
	sc_finding_doubt_luck(a, &op, &step->host, f);
}

void sc_in_flight_note(struct sc_analysis *a, uint32_t lane, uint64_t position,
		       const struct sc_step *step, struct sc_finding *kept)
{
	struct sc_interval op = {.lane = lane, .position = position, .entered = position};

	sc_moments_note(&a->moments, kept, &op, &step->host);
}
