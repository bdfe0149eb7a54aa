/* Groups: findings with equal descriptions. */
#include "reports/group.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "base/map.h"
#include "reports/facts.h"
#include "reports/fingerprint.h"

static bool is_host_access(unsigned kind)
{
	return kind == SC_OP_HOST_READ || kind == SC_OP_HOST_WRITE;
}

static void add_side(struct sc_buf *out, const struct sc_words *w, const struct sc_side *side)
{
	const struct sc_record *record = sc_analysis_record(w->report->analysis, side->op);

	if (record) {
		sc_buf_add(out, is_host_access(record->op.kind) ? "host " : "");
		sc_words_actor(out, w, record);
		sc_buf_add(out, " at ");
	}
	sc_facts_place(out, w, side->op);
}

void sc_group_describe(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	for (unsigned i = 0; i < f->sides && i < 2; i++) {
		sc_buf_add(out, i ? " and " : "");
		add_side(out, w, &f->side[i]);
	}
}

/* The same for both orders of the sides, since the order may change from run to run; *is_turned: it
 * has the second side first. */
static uint64_t key_of(struct sc_words *w, const struct sc_finding *f, bool *is_turned)
{
	struct sc_buf side[2] = {{0}, {0}}, text = {0};
	uint64_t key;

	sc_words_set_finding(w, f);
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		add_side(&side[i], w, &f->side[i]);
	*is_turned = strcmp(sc_buf_text(&side[0]), sc_buf_text(&side[1])) > 0;
	sc_buf_printf(&text, "%u\n%s\n%s", f->rule, sc_buf_text(&side[*is_turned]),
		      sc_buf_text(&side[!*is_turned]));
	key = sc_fingerprint_hash(text.text, text.bytes);
	sc_buf_fini(&text);
	sc_buf_fini(&side[0]);
	sc_buf_fini(&side[1]);
	return key;
}

static void take(struct sc_groups *g, struct sc_u64_map *numbers, struct sc_words *w, size_t index,
		 const struct sc_finding *f)
{
	bool is_turned;
	uint64_t *number = sc_u64_map_get(numbers, key_of(w, f, &is_turned));
	struct sc_group *group;

	if (!*number) {
		sc_vector_push(&g->list,
			       ((struct sc_group){.first = index, .is_turned = is_turned}));
		*number = g->list.count;
	}
	group = &g->list.items[*number - 1];
	if (is_turned != group->is_turned && !group->turned++)
		group->opposite = index;
	group->findings++;
	group->count += f->count;
	g->of[index] = (uint32_t)*number;
	g->findings++;
}

static void init(struct sc_groups *g, struct sc_words *w, bool lacks_code)
{
	struct sc_u64_map numbers = {0};
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(w->report->analysis, &count);

	*g = (struct sc_groups){.of = sc_heap_xcalloc(count + 1, sizeof(*g->of))};
	for (size_t i = 0; i < count; i++)
		if (!f[i].leader && sc_finding_lacks_code(&f[i]) == lacks_code)
			take(g, &numbers, w, i, &f[i]);
	sc_u64_map_fini(&numbers);
}

void sc_groups_init(struct sc_groups *g, struct sc_words *w)
{
	init(g, w, 1);
}

void sc_groups_init_rest(struct sc_groups *g, struct sc_words *w)
{
	init(g, w, 0);
}

void sc_groups_fini(struct sc_groups *g)
{
	sc_vector_fini(&g->list);
	free(g->of);
	*g = (struct sc_groups){0};
}
