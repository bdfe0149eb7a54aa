/* Planes: their memory, and who has which. */
#include "interposer/sanitizer/plane.h"

#include <string.h>

#define LEAST_BYTES (UINT64_C(64) << 20)

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
	void *taken[3];
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
	const size_t runs_bytes = sizeof(struct sc_runs) + SC_PLANE_RUNS * sizeof(struct sc_run);
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

		slot->runs = (struct sc_runs *)((char *)host + i * runs_bytes);
		slot->plane = device + i * sizeof(plane[0]);
		slot->planes = p;
		memset(slot->runs, 0, sizeof(*slot->runs));
		plane[i] = (struct sc_plane){.keys = t->taken[0],
					     .words = t->taken[1],
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

static bool try_places(struct sc_planes *p, const struct sc_sanitizer_calls *calls,
		       CUcontext context, uint32_t places, void *host)
{
	struct taking t = {.calls = calls, .context = context};

	if (take(&t, places * sizeof(uint64_t)) && take(&t, (size_t)places * SC_PAGE_BYTES) &&
	    fill(p, &t, places, host)) {
		p->bytes = places * (uint64_t)SC_PAGE_BYTES;
		return true;
	}
	give_back(&t);
	return false;
}

bool sc_planes_make(struct sc_planes *p, const struct sc_sanitizer_calls *calls, CUcontext context,
		    uint64_t most)
{
	const size_t runs_bytes = sizeof(struct sc_runs) + SC_PLANE_RUNS * sizeof(struct sc_run);
	uint64_t least = most < LEAST_BYTES ? most / 2 : LEAST_BYTES / 2;
	void *host = NULL;

	if (calls->AllocHost(context, &host, SC_PLANES * runs_bytes))
		return false;
	for (uint64_t bytes = most; bytes > least; bytes /= 2) {
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
