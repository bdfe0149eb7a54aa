/* Making findings: sides from ops, identity from call sites. */
#include "analyzer/model/make_finding.h"

#include <stdbool.h>
#include "analyzer/model/second_pass.h"

static struct sc_side side_of(const struct sc_op *op, uint64_t sequence)
{
	return (struct sc_side){
		.op = sequence, .mode = SC_SIDE_CALL, .stream = op->stream, .thread = op->thread};
}

struct sc_finding sc_finding_begin(unsigned rule, const struct sc_op *earlier,
				   uint64_t earlier_sequence, const struct sc_op *op,
				   uint64_t sequence)
{
	struct sc_finding f = {.rule = (uint16_t)rule,
			       .severity = (uint8_t)sc_rule_find(rule)->severity,
			       .confidence = SC_PROVEN,
			       .sides = 1,
			       .count = 1};

	if (earlier)
		f.side[0] = side_of(earlier, earlier_sequence);
	f.side[earlier != NULL] = side_of(op, sequence);
	f.sides += earlier != NULL;
	return f;
}

static enum sc_doubt doubt_of_use(const struct sc_analysis *a, uint8_t known)
{
	if (known == SC_KNOWN_PARAMETER)
		return SC_DOUBT_FOOTPRINT;
	if (known != SC_KNOWN_EXACT)
		return SC_DOUBT_OVER;
	return a->gap && a->gap <= a->order.at ? SC_DOUBT_LOST : SC_DOUBT_NONE;
}

struct sc_finding sc_finding_of_use(const struct sc_analysis *a, unsigned rule,
				    const struct sc_step *step, const struct sc_use *use)
{
	const struct sc_piece *piece = sc_pieces_at(&a->memory.pieces, use->shape.base);
	struct sc_finding f = sc_finding_begin(rule, NULL, 0, step->op, step->sequence);
	struct sc_side *side = &f.side[0];

	side->address = use->shape.base;
	side->bytes = sc_shape_end(&use->shape) - use->shape.base;
	side->mode = sc_mode_writes(use->shape.mode) ? SC_SIDE_WRITE : SC_SIDE_READ;
	side->known = use->shape.known;
	side->how = use->shape.how;
	side->reason = use->reason;
	f.allocation = piece ? piece->begun : use->allocation->sequence;
	f.doubt = doubt_of_use(a, use->shape.known);
	if (f.doubt != SC_DOUBT_NONE)
		f.confidence = SC_POSSIBLE;
	if (f.doubt == SC_DOUBT_FOOTPRINT && f.severity > SC_WARNING)
		f.severity = SC_WARNING;
	return f;
}

void sc_finding_doubt_bytes(struct sc_finding *f, int known)
{
	if (known == SC_KNOWN_EXACT)
		return;
	f->confidence = SC_POSSIBLE;
	f->doubt = known == SC_KNOWN_OVER ? SC_DOUBT_OVER : SC_DOUBT_FOOTPRINT;
}

void sc_finding_doubt_luck(const struct sc_analysis *a, const struct sc_interval *x,
			   const struct sc_interval *y, struct sc_finding *f)
{
	if (f->confidence != SC_PROVEN || !sc_luck_orders(&a->order.host.luck, x, y))
		return;
	f->confidence = SC_LIKELY;
	f->doubt = SC_DOUBT_LUCK;
}

void sc_finding_add_earlier(struct sc_finding *f, uint64_t sequence, uint8_t mode)
{
	f->side[1] = f->side[0];
	f->side[0] = (struct sc_side){.op = sequence, .mode = mode};
	f->sides = 2;
}

static uint64_t site_of(struct sc_analysis *a, const struct sc_op *op, uint64_t sequence)
{
	return sc_callsite_of(&a->callsites, a->reader, op->stack, sequence);
}

/* The same for both orders of two call sites. What the sites of a race are says enough of it; there
 * may be too many of them to keep apart, then the rule has to do. */
static void identify(struct sc_analysis *a, struct sc_finding *f, const struct sc_op *earlier,
		     const struct sc_op *op)
{
	bool is_full = a->findings.list.count >= SC_FINDINGS_MAX;
	bool is_race = sc_finding_lacks_order(f) && !is_full;
	uint64_t last = f->side[f->sides - 1].op, sites[2] = {0};

	f->places = sc_hash_add(SC_HASH_START, is_race ? 0 : f->rule);
	if (f->part)
		f->places = sc_hash_add(f->places, f->part);
	if (!is_full) {
		sites[0] = earlier ? site_of(a, earlier, f->side[0].op) : 0;
		sites[1] = site_of(a, op, last);
	}
	f->begins = sites[0];
	f->places = sc_hash_add(f->places, sites[0] < sites[1] ? sites[0] : sites[1]);
	f->places = sc_hash_add(f->places, sites[0] < sites[1] ? sites[1] : sites[0]);
	f->suppression = sc_declared_suppressions_find(&a->suppressions, f);
	f->identity = f->suppression ? ~f->places : f->places;
}

/* Two operations may meet in many pieces of memory: they are a pair once. */
static bool is_counted(struct sc_analysis *a, const struct sc_finding *f)
{
	uint64_t pair = f->identity, *is_met;

	if (f->sides < 2)
		return 0;
	for (unsigned i = 0; i < 2; i++)
		pair = sc_hash_add(sc_hash_add(pair, f->side[i].op), f->side[i].launch);
	if (a->pairs_at != a->order.at)
		sc_u64_map_fini(&a->pairs);
	a->pairs_at = a->order.at;
	is_met = sc_u64_map_get(&a->pairs, pair);
	return (*is_met)++;
}

/* The ops of a finding that is shown with these sides. */
static void keep_ops(struct sc_analysis *a, const struct sc_finding *kept,
		     const struct sc_finding *f, const struct sc_op *earlier,
		     const struct sc_op *op)
{
	unsigned last = f->sides - 1u;

	if (!kept)
		return;
	if (earlier && kept->side[0].op == f->side[0].op)
		sc_second_pass_keep_op(a->second_pass, f->side[0].op, earlier);
	if (kept->side[last].op == f->side[last].op)
		sc_second_pass_keep_op(a->second_pass, f->side[last].op, op);
}

struct sc_finding *sc_finding_file(struct sc_analysis *a, struct sc_finding *f,
				   const struct sc_op *earlier, const struct sc_op *op)
{
	uint64_t last = f->side[f->sides - 1].op;
	struct sc_finding *kept;

	if (f->severity == SC_ADVICE && !a->settings.advice)
		return NULL;
	if (a->gap && f->severity != SC_ADVICE && f->confidence != SC_POSSIBLE) {
		f->confidence = SC_POSSIBLE;
		f->doubt = SC_DOUBT_LOST;
	}
	if (op->flags & SC_FLAG_UNDECIDED && earlier && earlier->kind == SC_OP_KERNEL &&
	    f->confidence != SC_POSSIBLE) {
		f->confidence = SC_POSSIBLE;
		f->doubt = SC_DOUBT_SIGNAL;
	}
	if (!sc_inside_judge(&a->inside, f))
		return NULL;
	if (f->severity == SC_ADVICE)
		sc_second_pass_want_cost(a->second_pass, site_of(a, op, last), f, op);
	identify(a, f, earlier, op);
	f->count = is_counted(a, f) ? 0 : f->count;
	kept = sc_findings_add(&a->findings, f);
	a->is_stopped |= a->settings.stops_below && sc_finding_is_of_threads(f) &&
			 sc_reader_expects(a->reader) <= a->settings.stops_below;
	if (a->settings.gives_back)
		keep_ops(a, kept, f, earlier, op);
	return kept;
}
