/* Refining: sites whose symbolic ranges are not exact get the ranges of a walk (walk.h). */
#include <stdbool.h>
#include "footprint/walk.h"

#define LAUNCH_STEPS 4000000 /* some nanoseconds each */
#define KERNEL_STEPS 16000000
#define ALL_STEPS    100000000 /* of all kernels */
#define RANGES	     64	       /* of one site; more become one */

/* Walks help where something is computed, not where it is loaded or not known at all. */
static bool may_help(uint8_t reason)
{
	switch ((enum sc_footprint_reason)reason) {
	case SC_REASON_LOADED:
	case SC_REASON_LOOP:
	case SC_REASON_CARRIED:
	case SC_REASON_NONLINEAR:
	case SC_REASON_WRAP:
	case SC_REASON_CONDITION:
	case SC_REASON_SHAPE:
	case SC_REASON_SIZE:
	case SC_REASON_POINTER:
	case SC_REASON_BUDGET: return 1;
	default: return 0;
	}
}

/* The first reason why the ranges are not exact, or NONE. */
static uint8_t reason_of(const struct sc_footprint_range *r, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (r[i].reason)
			return r[i].reason;
	return SC_REASON_NONE;
}

static void find_sites(const struct sc_footprint_kernel *k, const sc_site_firsts *firsts,
		       const sc_range_list *out, sc_walk_sites *sites)
{
	for (uint32_t i = 0; i < k->graph.sites.count; i++) {
		const struct sc_memory_site *s = &k->graph.sites.items[i];
		size_t first = firsts->items[i], count = firsts->items[i + 1] - first;
		struct sc_walk_site site = {.site = i};

		if (count && s->address && !s->reason &&
		    may_help(reason_of(out->items + first, count)))
			sc_vector_push(sites, site);
	}
}

static uint64_t least(uint64_t x, uint64_t y)
{
	return x < y ? x : y;
}

/* The steps that are left for a walk of this launch. */
static uint64_t budget_of(const struct sc_footprint_kernel *k,
			  const struct sc_footprint_launch *launch)
{
	uint64_t walked = launch->walked ? *launch->walked : 0;

	return least(LAUNCH_STEPS, least(KERNEL_STEPS - least(KERNEL_STEPS, k->walked),
					 ALL_STEPS - least(ALL_STEPS, walked)));
}

static bool has_unbounded(const struct sc_footprint_range *r, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (r[i].is_unbounded)
			return 1;
	return 0;
}

/* Appends one of the two sets of a site; false if it is too ragged, and a hull stands for it. */
static bool put_set(struct sc_byte_set *t, struct sc_footprint_range *like, sc_range_list *out)
{
	struct sc_footprint_range ranges[RANGES], hull;
	size_t count = 0;
	bool ok = sc_byte_set_emit(t, like, RANGES, ranges, &count, &hull);

	if (!ok) {
		hull.reason = hull.reason ? hull.reason : SC_REASON_SHAPE;
		sc_vector_push(out, hull);
	}
	for (size_t i = 0; i < count; i++)
		sc_vector_push(out, ranges[i]);
	return ok;
}

/* Puts the ranges of a walk in place of the ranges `old` of a site. False: `old` is better. */
static bool put_site(const struct sc_footprint_kernel *k, struct sc_walk_site *site,
		     const struct sc_footprint_range *old, size_t old_count, sc_range_list *out)
{
	const struct sc_memory_site *s = &k->graph.sites.items[site->site];
	struct sc_footprint_range like = {
		.mode = s->mode,
		.early = s->early,
		.line = s->line,
		.base = site->base,
		.base_kind = site->kind == SC_VALUE_PARAM ? SC_BASE_PARAMETER : SC_BASE_SYMBOL,
		.may_be_offset =
			site->kind == SC_VALUE_PARAM && !sc_u64_map_find(&k->pointers, site->base),
		.rows = 1,
		.slices = 1};
	size_t before = out->count;
	bool ok;

	sc_byte_set_drop(&site->may, &site->must);
	ok = put_set(&site->must, &like, out);

	like.reason = reason_of(old, old_count);
	ok &= put_set(&site->may, &like, out);
	if (ok || has_unbounded(old, old_count)) {
		for (size_t i = 0; !ok && i < old_count; i++)
			if (!old[i].reason)
				sc_vector_push(out, old[i]);
		return 1;
	}
	out->count = before;
	return 0;
}

/* Puts together anew the ranges of all sites. */
static void replace(struct sc_footprint_kernel *k, const sc_site_firsts *firsts,
		    sc_walk_sites *sites, sc_range_list *out)
{
	sc_range_list all = {0};
	size_t at = 0;

	for (uint32_t i = 0; i < k->graph.sites.count; i++) {
		const struct sc_footprint_range *old = out->items + firsts->items[i];
		size_t count = firsts->items[i + 1] - firsts->items[i];
		struct sc_walk_site *site = NULL;

		if (at < sites->count && sites->items[at].site == i)
			site = &sites->items[at++];
		if (site && !site->is_lost && put_site(k, site, old, count, &all))
			continue;
		for (size_t n = 0; n < count; n++)
			sc_vector_push(&all, old[n]);
	}
	sc_vector_fini(out);
	out->items = all.items;
	out->count = all.count;
	out->room = all.room;
}

void sc_refine_launch(struct sc_footprint_kernel *k, const struct sc_footprint_launch *launch,
		      const sc_site_firsts *firsts, sc_range_list *out)
{
	uint64_t budget = budget_of(k, launch), left = budget;
	sc_walk_sites sites = {0};

	if (!budget)
		return;
	find_sites(k, firsts, out, &sites);
	if (sites.count && sc_walk_launch(k, launch, &sites, &left))
		replace(k, firsts, &sites, out);
	k->walked += budget - left;
	if (launch->walked)
		*launch->walked += budget - left;
	sc_walk_sites_fini(&sites);
}
