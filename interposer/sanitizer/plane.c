/* Planes: their memory, and who has which. */
#include "interposer/sanitizer/plane.h"

#include <string.h>

#define LEAST_BYTES (UINT64_C(64) << 20)
#define RUNS_BYTES  (sizeof(struct sc_runs) + SC_PLANE_RUNS * sizeof(struct sc_run))

uint32_t sc_planes_places(uint64_t most)
{
	uint32_t places = SC_PLACES_MOST;

	while (places && places * (uint64_t)SC_PAGE_BYTES > most)
		places /= 2;
	return places;
}

struct taking {
	const struct sc_sanitizer_calls *calls;
	CUcontext context;
	void *taken[4];
	unsigned count;
};

/* Device memory, all zero; NULL: there is none. */
static void *take(struct taking *t, size_t bytes)
{
	void *at = NULL;

	if (t->calls->Alloc(t->context, &at, bytes))
		return NULL;
	if (t->calls->Fill(at, 0, bytes, NULL)) {
		t->calls->Free(t->context, at);
		return NULL;
	}
	return t->taken[t->count++] = at;
}

static void give_back(struct taking *t)
{
	while (t->count)
		t->calls->Free(t->context, t->taken[--t->count]);
}

/* The planes lie side by side, and so do their lists of places. */
static bool fill(struct sc_planes *p, struct taking *t, uint32_t places, void *host)
{
	struct sc_plane plane[SC_PLANES];
	uint32_t *used;
	char *device;

	memset(plane, 0, sizeof(plane));
	device = take(t, sizeof(plane) + SC_PLANES * SC_PLANE_PAGES * sizeof(*used));
	if (!device)
		return false;
	used = (uint32_t *)(device + sizeof(plane));
	for (uint32_t i = 0; i < SC_PLANES; i++) {
		struct sc_plane_slot *slot = &p->slot[i];

		slot->runs = (struct sc_runs *)((char *)host + i * RUNS_BYTES);
		slot->plane = device + i * sizeof(plane[0]);
		slot->planes = p;
		memset(slot->runs, 0, sizeof(*slot->runs));
		plane[i] = (struct sc_plane){.keys = t->taken[1],
					     .words = t->taken[0],
					     .used = used + (size_t)i * SC_PLANE_PAGES,
					     .runs = slot->runs,
					     .mask = places - 1,
					     .number = i,
					     .used_most = SC_PLANE_PAGES,
					     .runs_most = SC_PLANE_RUNS};
	}
	return !t->calls->CopyToDevice(device, plane, sizeof(plane), NULL) &&
	       !t->calls->Synchronize(NULL);
}

/* Heads, behind one another, and their tables. */
static bool fill_heads(struct sc_planes *p, struct taking *t, void *host)
{
	struct sc_plane plane[SC_HEADS];
	struct sc_plane_grid *grids;
	char *device = take(t, sizeof(plane) + SC_HEADS * SC_GRIDS * sizeof(*grids));

	if (!device)
		return false;
	grids = (struct sc_plane_grid *)(device + sizeof(plane));
	memset(plane, 0, sizeof(plane));
	for (uint32_t i = 0; i < SC_HEADS; i++) {
		struct sc_head *head = &p->head[i];

		head->plane = device + i * sizeof(plane[0]);
		head->grids = grids + (size_t)i * SC_GRIDS;
		head->host = (struct sc_plane_grid *)host + (size_t)i * SC_GRIDS;
		head->planes = p;
		plane[i].grids = head->grids;
	}
	return !t->calls->CopyToDevice(device, plane, sizeof(plane), NULL) &&
	       !t->calls->Synchronize(NULL);
}

static bool try_places(struct sc_planes *p, const struct sc_sanitizer_calls *calls,
		       CUcontext context, uint32_t places, void *host)
{
	struct taking t = {.calls = calls, .context = context};

	/* The largest first: where there is too little, nothing is freed, which may wait for work
	 * that waits for the host. */
	if (take(&t, (size_t)places * SC_PAGE_BYTES) && take(&t, places * sizeof(uint64_t)) &&
	    fill(p, &t, places, host) && fill_heads(p, &t, (char *)host + SC_PLANES * RUNS_BYTES)) {
		p->bytes = places * (uint64_t)SC_PAGE_BYTES;
		return true;
	}
	give_back(&t);
	return false;
}

bool sc_planes_make(struct sc_planes *p, const struct sc_sanitizer_calls *calls, CUcontext context,
		    uint64_t most)
{
	void *host = NULL;

	if (calls->AllocHost(context, &host,
			     SC_PLANES * RUNS_BYTES +
				     SC_HEADS * SC_GRIDS * sizeof(struct sc_plane_grid)))
		return false;
	for (uint64_t bytes = most; bytes >= LEAST_BYTES; bytes /= 2) {
		uint32_t places = sc_planes_places(bytes);

		if (places && try_places(p, calls, context, places, host)) {
			/* release: pairs with the acquire of who looks for the context's planes */
			atomic_store_explicit(&p->is_usable, true, memory_order_release);
			return true;
		}
	}
	calls->FreeHost(context, host);
	return false;
}

struct sc_plane_slot *sc_planes_take(struct sc_planes *p)
{
	for (uint32_t i = 0; i < SC_PLANES; i++) {
		int state = SC_PLANE_FREE;

		if (atomic_compare_exchange_strong(&p->slot[i].state, &state, SC_PLANE_TAKEN))
			return &p->slot[i];
	}
	return NULL;
}

bool sc_planes_have_free(struct sc_planes *p)
{
	for (uint32_t i = 0; i < SC_PLANES; i++) {
		if (atomic_load(&p->slot[i].state) == SC_PLANE_FREE)
			return true;
	}
	return false;
}

bool sc_plane_begin_reading(struct sc_plane_slot *slot)
{
	int state = SC_PLANE_RUNNING;

	/* acquire: pairs with the fence of `collect` before it says that the runs are there */
	return atomic_load(&slot->state) == SC_PLANE_RUNNING &&
	       __atomic_load_n(&slot->runs->is_ready, __ATOMIC_ACQUIRE) &&
	       atomic_compare_exchange_strong(&slot->state, &state, SC_PLANE_READING);
}

void sc_plane_put_back(struct sc_plane_slot *slot)
{
	slot->runs->is_ready = 0;
	atomic_store(&slot->state, SC_PLANE_FREE);
}

/* ---- heads ---- */

struct sc_head *sc_heads_take(struct sc_planes *p, const struct sc_sanitizer_calls *calls,
			      void *stream)
{
	for (uint32_t i = 0; i < SC_HEADS; i++) {
		struct sc_head *head = &p->head[i];
		int state = SC_PLANE_FREE;

		if (!atomic_compare_exchange_strong(&head->state, &state, SC_PLANE_TAKEN))
			continue;
		head->count = 0;
		head->is_cut = false;
		if (!calls->Fill(head->grids, 0, SC_GRIDS * sizeof(*head->grids), stream))
			return head;
		/* whether it is filled later is not known */
		atomic_store(&head->state, SC_PLANE_LOST);
		return NULL;
	}
	return NULL;
}

bool sc_head_add(struct sc_head *head, const struct sc_sanitizer_calls *calls, void *stream,
		 uint32_t index, uint64_t number, struct sc_plane_slot *slot)
{
	uint32_t at = head->count;

	if (at < SC_GRIDS)
		head->host[at] = (struct sc_plane_grid){number, slot ? slot->plane : NULL};
	if (at == SC_GRIDS || calls->CopyToDevice(&head->grids[at], &head->host[at],
						  sizeof(head->host[at]), stream)) {
		head->is_cut = true;
		return false;
	}
	head->node[head->count++] = (struct sc_head_node){index, slot};
	return true;
}

static bool is_ready(const struct sc_head *head)
{
	for (uint32_t i = 0; i < head->count; i++) {
		const struct sc_plane_slot *slot = head->node[i].slot;

		/* acquire: as for one plane */
		if (slot && !__atomic_load_n(&slot->runs->is_ready, __ATOMIC_ACQUIRE))
			return false;
	}
	return true;
}

bool sc_head_begin_reading(struct sc_head *head)
{
	int state = SC_PLANE_RUNNING;

	if (!atomic_compare_exchange_strong(&head->state, &state, SC_PLANE_READING))
		return false;
	if (is_ready(head))
		return true;
	atomic_store(&head->state, SC_PLANE_RUNNING);
	return false;
}

void sc_head_put_back(struct sc_head *head)
{
	for (uint32_t i = 0; i < head->count; i++) {
		if (head->node[i].slot)
			sc_plane_put_back(head->node[i].slot);
	}
	atomic_store(&head->state, SC_PLANE_FREE);
}
