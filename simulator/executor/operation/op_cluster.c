/* Handlers of clusters: their barrier, addresses in the shared memory of their blocks, and stores
 * there that a barrier counts. */
#include "simulator/executor/barrier.h"
#include "simulator/executor/operation/mbarrier.h"
#include "simulator/executor/memory.h"
#include "simulator/executor/operation/operation.h"

#define RANK_MOST 254 /* that an address can have */

static void cluster_arrive(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t lanes = exec_mask(w, in);

	if (lanes)
		exec_barrier_cluster_arrive(w, lanes, in->order & EXEC_ORDER_RELAXED);
}

static void cluster_wait(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t lanes = exec_mask(w, in);

	if (lanes)
		exec_barrier_cluster_wait(w, lanes);
}

static uint32_t mapped(uint32_t address, uint32_t rank)
{
	return exec_address_with_rank(address, rank < RANK_MOST ? rank : RANK_MOST);
}

static void map_narrow(struct exec_warp *w, const struct exec_instruction *in)
{
	const uint32_t *a = exec_lanes(w, in->slot[1]), *rank = exec_lanes(w, in->slot[2]);
	uint32_t mask = exec_mask(w, in);

	EXEC_WRITE(uint32_t, mask, mapped(a[i], rank[i]));
}

static void map_wide(struct exec_warp *w, const struct exec_instruction *in)
{
	const uint64_t *a = exec_lanes(w, in->slot[1]);
	const uint32_t *rank = exec_lanes(w, in->slot[2]);
	uint32_t mask = exec_mask(w, in);

	EXEC_WRITE(uint64_t, mask,
		   (a[i] & ~(uint64_t)UINT32_MAX) | mapped((uint32_t)a[i], rank[i]));
}

static void rank_narrow(struct exec_warp *w, const struct exec_instruction *in)
{
	const uint32_t *a = exec_lanes(w, in->slot[1]);
	uint32_t mask = exec_mask(w, in);

	EXEC_WRITE(uint32_t, mask, exec_rank_of(w->block, a[i]));
}

static void rank_wide(struct exec_warp *w, const struct exec_instruction *in)
{
	const uint64_t *a = exec_lanes(w, in->slot[1]);
	uint32_t mask = exec_mask(w, in);

	EXEC_WRITE(uint32_t, mask, exec_rank_of(w->block, (uint32_t)a[i]));
}

/* st.async: the elements of each lane, and then the bytes for its barrier. */
static void store_counted(struct exec_warp *w, const struct exec_instruction *in)
{
	unsigned each = sc_type_bits(in->type) / 8, bytes = each * in->count;
	uint32_t mask = exec_mask(w, in);
	struct exec_places p;

	if (!mask || !exec_places_find(w, in, mask, bytes, EXEC_WRITE, &p))
		return;
	for (unsigned l = 0; l < EXEC_LANES; l++) {
		if (!(mask >> l & 1))
			continue;
		for (unsigned e = 0; e < in->count; e++)
			memcpy(p.lane[l] + (size_t)e * each,
			       (char *)exec_lanes(w, in->slot[2 + e]) +
				       (size_t)l * in->width[2 + e],
			       each);
		if (!exec_mbarrier_complete(w, in, l, exec_second_address(w, in, 2U + in->count, l),
					    bytes))
			return;
	}
}

static const struct exec_row rows[] = {
	{"barrier.cluster.arrive", "", 0, cluster_arrive},
	{"barrier.cluster.wait", "", 0, cluster_wait},
	{"mapa.u32", "=4 4 4", 0, map_narrow},
	{"mapa.u64", "=8 8 4", 0, map_wide},
	{"st.async.mbarrier::complete_tx::bytes.[usbf]32", "_ a v b", 0, store_counted},
	{"st.async.mbarrier::complete_tx::bytes.[usbf]64", "_ a v b", 0, store_counted},
	{"getctarank.u32", "=4 4", 0, rank_narrow},
	{"getctarank.u64", "=4 8", 0, rank_wide},
};

const struct exec_rows exec_cluster_rows = EXEC_ROWS(rows);
