/* Handles of textures and surfaces against the naive form: the last record of each. */
#include "analyzer/access/texture.h"
#include "tests/unit/unit.h"

#define CONTEXTS 3
#define HANDLES	 40
#define STEPS	 20000

static uint64_t seed = 1, sequence;

static unsigned random_number(unsigned below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 40) % below;
}

static void note(struct sc_textures *t, bool is_surface, uint32_t context, uint64_t handle,
		 uint64_t start, uint64_t bytes)
{
	const struct sc_record r = {.op = {.kind = start ? SC_OP_TEXTURE : SC_OP_TEXTURE_DESTROY,
					   .object = is_surface,
					   .context = context,
					   .value = handle,
					   .dst = start,
					   .bytes = bytes},
				    .sequence = sequence};

	sequence++;
	sc_textures_note(t, &r);
}

TEST(as_naive)
{
	static struct sc_texture last[2][CONTEXTS][HANDLES];
	static uint64_t destroyed[2][CONTEXTS][HANDLES]; /* + 1 */
	struct sc_textures t = {.remembered = HANDLES};
	struct sc_texture found;
	const uint64_t *gone;
	size_t alive = 0;

	for (unsigned i = 0; i < STEPS; i++) {
		bool is_surface = random_number(2);
		unsigned context = random_number(CONTEXTS), handle = 1 + random_number(HANDLES - 1);
		struct sc_texture *l = &last[is_surface][context][handle];

		bool was_alive = l->start != 0;
		uint64_t was_made = l->made;

		*l = (struct sc_texture){random_number(2) * (i + 1), i, sequence + 1};
		alive += (l->start != 0) - was_alive;
		if (!l->start && was_alive)
			destroyed[is_surface][context][handle] = sequence + 1;
		note(&t, is_surface, context, handle, l->start, l->bytes);
		if (!l->start)
			assert_true(t.gone.made == (was_alive ? was_made : 0));
		handle = 1 + random_number(HANDLES - 1);
		l = &last[is_surface][context][handle];
		assert_int_equal(sc_textures_find(&t, is_surface, context, handle, &found),
				 l->start != 0);
		if (l->start) {
			assert_int_equal(found.start, l->start);
			assert_int_equal(found.bytes, l->bytes);
			assert_int_equal(found.made, l->made);
		}
		gone = sc_textures_destroyed(&t, is_surface, context, handle);
		assert_int_equal(gone ? *gone + 1 : 0, destroyed[is_surface][context][handle]);
	}
	assert_int_equal(t.count, alive);
	sc_textures_fini(&t);
}

/* A run that goes on for ever, and uses no handle twice. */
TEST(destroyed_ones_are_gone)
{
	struct sc_textures t = {.remembered = 8};
	struct sc_texture found;

	for (uint64_t i = 1; i <= 100000; i++) {
		note(&t, 0, 1, UINT64_MAX - i + 1, i, 4);
		note(&t, 0, 1, UINT64_MAX - i + 1, 0, 0);
	}
	assert_int_equal(t.count, 0);
	assert_true(t.handles.items[0].starts.mask < 64);
	assert_int_equal(t.handles.items[0].dead.map.count, 8);
	assert_false(sc_textures_find(&t, 0, 1, UINT64_MAX, &found));
	sc_textures_fini(&t);
}
