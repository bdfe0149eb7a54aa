/* Transfers: the tables of specification section 4. */
#include "analyzer/order/transfer.h"

#include <stdbool.h>
#include "analyzer/finding/rule.h"
#include "base/assert.h"

#define SMALL_COPY    (64 << 10) /* note 1 of 4.2: what the texts contradict each other about */
#define LAST_BLOCKING 12000	 /* C-A2, 4.5: drivers before this made the promise */

/* Kinds of memory that the tables distinguish. */
enum side { PAGE, PIN, DEV, MAN, UNKNOWN, SIDES };

static enum side side_of(unsigned memory)
{
	switch (memory) {
	case SC_MEM_PAGEABLE: return PAGE;
	case SC_MEM_PINNED:
	case SC_MEM_REGISTERED: return PIN;
	case SC_MEM_MANAGED: return MAN;
	case SC_MEM_DEVICE:
	case SC_MEM_ARRAY: return DEV;
	default: return UNKNOWN;
	}
}

/* Rows are sources, columns destinations. An unknown side counts as the one that promises more,
 * so that nothing is reported on a guess. */
static const uint8_t sync_edge[SIDES][SIDES] = {
	/*            PAGE          PIN           DEV            MAN            UNKNOWN */
	[PAGE] = {SC_EDGE_END, SC_EDGE_END, SC_EDGE_TAIL, SC_EDGE_TAIL, SC_EDGE_END},
	[PIN] = {SC_EDGE_END, SC_EDGE_END, SC_EDGE_END, SC_EDGE_END, SC_EDGE_END},
	[DEV] = {SC_EDGE_END, SC_EDGE_END, SC_EDGE_NONE, SC_EDGE_NONE, SC_EDGE_END},
	[MAN] = {SC_EDGE_END, SC_EDGE_END, SC_EDGE_NONE, SC_EDGE_NONE, SC_EDGE_END},
	[UNKNOWN] = {SC_EDGE_END, SC_EDGE_END, SC_EDGE_END, SC_EDGE_END, SC_EDGE_END},
};

/* 4.5: what older texts said of calls without Async in their names, and drivers still do. */
static bool waits_for_managed(unsigned driver, enum sc_profile profile)
{
	return driver < LAST_BLOCKING || profile == SC_PERMISSIVE;
}

static struct sc_transfer sync_copy(const struct sc_op *op, unsigned driver,
				    enum sc_profile profile)
{
	enum side from = side_of(op->src_mem), to = side_of(op->dst_mem);
	bool is_upload = from <= PIN && (to == DEV || to == MAN);
	bool is_small = op->bytes <= SMALL_COPY;
	struct sc_transfer t = {.edge = sync_edge[from][to]};

	t.host_reads = from == PAGE && t.edge == SC_EDGE_TAIL; /* C-S1 */
	t.is_barrier = op->flags & SC_FLAG_PEER ||
		       (op->dst_context && op->src_context && op->dst_context != op->src_context);
	if (profile == SC_STRICT && is_upload && is_small) {
		t.edge = SC_EDGE_NONE;
		t.host_reads = 1; /* reuse of the source is safe in every reading */
	}
	if (waits_for_managed(driver, profile) && (from == MAN || to == MAN))
		t.edge = SC_EDGE_END;
	if (op->flags & SC_FLAG_SYNC_MEMOPS)
		t.edge = SC_EDGE_END;
	return t;
}

static struct sc_transfer async_copy(const struct sc_op *op, unsigned driver,
				     enum sc_profile profile)
{
	enum side from = side_of(op->src_mem), to = side_of(op->dst_mem);
	struct sc_transfer t = {.edge = SC_EDGE_NONE};

	if (from <= PIN && to <= PIN) {
		t.edge = SC_EDGE_END; /* C-A3 */
		return t;
	}
	t.source_staged = from == PAGE; /* C-A1 */
	t.result_waited = to == PAGE;	/* C-A2 */
	if (t.result_waited && driver < LAST_BLOCKING)
		t.edge = SC_EDGE_END;
	if (profile == SC_PERMISSIVE && (t.source_staged || t.result_waited))
		t.edge = SC_EDGE_END;
	return t;
}

/* 4.8: only the sync-named form waits, and only for page-locked host memory. */
static struct sc_transfer fill(const struct sc_op *op, unsigned driver, enum sc_profile profile)
{
	enum side to = side_of(op->dst_mem);
	bool waits = to <= PIN || to == UNKNOWN ||
		     (to == MAN && waits_for_managed(driver, profile)) ||
		     op->flags & SC_FLAG_SYNC_MEMOPS;

	return (struct sc_transfer){.edge = op->flags & SC_FLAG_SYNC && waits ? SC_EDGE_END
									      : SC_EDGE_NONE};
}

struct sc_transfer sc_transfer_of(const struct sc_op *op, unsigned driver, enum sc_profile profile)
{
	sc_assert(op->kind == SC_OP_COPY || op->kind == SC_OP_SET);
	if (op->kind == SC_OP_SET)
		return fill(op, driver, profile);
	if (op->flags & SC_FLAG_SYNC)
		return sync_copy(op, driver, profile);
	return async_copy(op, driver, profile);
}

/* 4.5: managed operands made such calls wait before CUDA 12. */
static bool is_managed(const struct sc_op *op)
{
	return op->dst_mem == SC_MEM_MANAGED || op->src_mem == SC_MEM_MANAGED;
}

/* Only the strict profile doubts that such a copy is complete when it returns. */
static bool is_upload(const struct sc_op *op)
{
	enum side from = side_of(op->src_mem), to = side_of(op->dst_mem);

	return op->kind == SC_OP_COPY && (from == PAGE || from == PIN) && to != PAGE && to != PIN;
}

unsigned sc_transfer_early(const struct sc_op *op, unsigned edge)
{
	if ((op->kind != SC_OP_COPY && op->kind != SC_OP_SET) || !(op->flags & SC_FLAG_SYNC))
		return 0;
	if (edge == SC_EDGE_TAIL)
		return SC_RULE_108;
	if (edge != SC_EDGE_NONE)
		return 0;
	if (is_upload(op))
		return SC_RULE_206;
	return is_managed(op) ? SC_RULE_207 : SC_RULE_109;
}
