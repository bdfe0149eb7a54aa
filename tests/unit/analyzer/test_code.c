/* Code: images in pieces become footprints of launches; broken ones leave parameters only. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "analyzer/kernel/code.h"
#include "image/fatbin.h"

/* One thread writes the four bytes that its parameter points to. */
static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
			  ".visible .entry put(.param .u64 p)\n{\n"
			  ".reg .b64 %rd<3>;\n.reg .b32 %r<2>;\n"
			  "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"
			  "mov.u32 %r1, 7;\nst.global.u32 [%rd2], %r1;\nret;\n}\n";

#define PTX_BYTES (sizeof(ptx) - 1)

/* A record with one attachment. */
static void note(struct sc_code *c, struct sc_op op, uint32_t type, const void *data, size_t bytes)
{
	struct sc_attach_head head = {type, (uint32_t)bytes};
	size_t room = sizeof(head) + ((bytes + 7) & ~(size_t)7);
	uint8_t *attached = calloc(1, room);
	struct sc_record r = {
		.op = op, .attachments = attached, .attachment_bytes = (uint32_t)room};

	assert_non_null(attached);
	memcpy(attached, &head, sizeof(head));
	memcpy(attached + sizeof(head), data, bytes);
	sc_code_note(c, &r);
	free(attached);
}

static void note_piece(struct sc_code *c, size_t from, size_t to)
{
	struct sc_op op = {.kind = SC_OP_IMAGE, .object = 4, .value = from, .bytes = PTX_BYTES};

	note(c, op, SC_ATTACH_IMAGE, ptx + from, to - from);
}

static void note_kernel(struct sc_code *c, const char *name)
{
	struct sc_record module = {.op = {.kind = SC_OP_MODULE_LOAD, .object = 3, .peer = 4}};
	struct sc_op function = {.kind = SC_OP_FUNCTION, .object = 5, .peer = 3};

	sc_code_note(c, &module);
	note(c, function, SC_ATTACH_TEXT, name, strlen(name));
}

static bool ask(struct sc_code *c, uint32_t param_bytes, struct sc_footprint *f)
{
	uint64_t pointer = 0x10000;
	struct sc_footprint_launch launch = {.grid = {1, 1, 1},
					     .block = {1, 1, 1},
					     .param_bytes = param_bytes,
					     .params = &pointer};
	const struct sc_code_kernel *k = sc_code_kernel(c, 5);

	return k && sc_code_footprint(k, &launch, f) && k->is_sure;
}

TEST(pieces_become_a_footprint)
{
	struct sc_code c = {0};
	struct sc_footprint f;

	note_piece(&c, 0, 20);
	note_piece(&c, 20, PTX_BYTES);
	note_kernel(&c, "put");
	assert_true(ask(&c, 8, &f));
	assert_true(f.is_exact);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.ranges[0].mode, SC_FOOTPRINT_WRITE);
	assert_int_equal(f.ranges[0].width, 4);
	sc_code_fini(&c);
}

TEST(parameters_must_be_there)
{
	struct sc_code c = {0};
	struct sc_footprint f;

	note_piece(&c, 0, PTX_BYTES);
	note_kernel(&c, "put");
	assert_false(ask(&c, 4, &f));
	sc_code_fini(&c);
}

TEST(missing_piece_yields_nothing)
{
	struct sc_code c = {0};
	struct sc_footprint f;

	note_piece(&c, 20, PTX_BYTES);
	note_kernel(&c, "put");
	assert_false(ask(&c, 8, &f));
	sc_code_fini(&c);
}

TEST(unknown_kernel_yields_nothing)
{
	struct sc_code c = {0};
	struct sc_footprint f;

	note_piece(&c, 0, PTX_BYTES);
	note_kernel(&c, "get");
	assert_false(ask(&c, 8, &f));
	sc_code_fini(&c);
}

/* Kernels of programmatic launches. */
static const char grids[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".visible .entry first(.param .u64 p)\n{\n.reg .b32 %r<2>;\nmembar.gl;\n"
	"griddepcontrol.launch_dependents;\nret;\n}\n"
	".visible .entry later(.param .u64 p)\n{\n.reg .b32 "
	"%r<2>;\ngriddepcontrol.wait;\nret;\n}\n";

static unsigned grid_of(const char *text, const char *name)
{
	size_t bytes = strlen(text);
	struct sc_op image = {.kind = SC_OP_IMAGE, .object = 4, .bytes = bytes};
	struct sc_code c = {0};
	unsigned grid;

	note(&c, image, SC_ATTACH_IMAGE, text, bytes);
	note_kernel(&c, name);
	grid = sc_code_grid(&c, 5);
	sc_code_fini(&c);
	return grid;
}

TEST(the_code_shows_grid_dependencies)
{
	assert_int_equal(grid_of(ptx, "put"), SC_GRID_KNOWN);
	assert_int_equal(grid_of(grids, "first") & ~(unsigned)SC_GRID_KNOWN,
			 SC_GRID_TRIGGER | SC_GRID_FENCE);
	assert_int_equal(grid_of(grids, "later") & ~(unsigned)SC_GRID_KNOWN, SC_GRID_WAIT);
	assert_int_equal(grid_of(grids, "absent"), 0);
}

#define WAIT  "griddepcontrol.wait;"
#define LOAD  "ld.global.u32 %r1, [%rd1];"
#define EARLY (SC_GRID_WAIT | SC_GRID_EARLY)

static unsigned grid_of_body(const char *body)
{
	char text[512];

	snprintf(text, sizeof(text),
		 ".version 8.0\n.target sm_90\n.address_size 64\n"
		 ".func wait()\n{\n" WAIT "\nret;\n}\n"
		 ".visible .entry k(.param .u64 p)\n{\n"
		 ".reg .b32 %%r<3>;\n.reg .b64 %%rd<3>;\n.reg .pred %%p<2>;\n"
		 "ld.param.u64 %%rd1, [p];\nsetp.eq.u64 %%p1, %%rd1, 7;\n%s\nret;\n}\n",
		 body);
	return grid_of(text, "k");
}

/* Whether a kernel of the given body waits, and whether all that it touches comes after that. */
static unsigned early_of(const char *body)
{
	return grid_of_body(body) & EARLY;
}

/* L-2: what stands before the wait on some path is not ordered by it. */
TEST(the_place_of_the_wait_counts)
{
	assert_int_equal(early_of(LOAD), 0);
	assert_int_equal(early_of(WAIT LOAD), SC_GRID_WAIT);
	assert_int_equal(early_of(LOAD WAIT), EARLY);
	assert_int_equal(early_of("call.uni wait;" LOAD), SC_GRID_WAIT);
	assert_int_equal(early_of("@%p1 " WAIT LOAD), EARLY);
	assert_int_equal(early_of("@%p1 bra over;" WAIT "over:" LOAD), EARLY);
	assert_int_equal(early_of("@%p1 bra over;" WAIT LOAD "over:"), SC_GRID_WAIT);
	assert_int_equal(early_of("again:" LOAD WAIT "@%p1 bra again;"), EARLY);
	assert_int_equal(early_of("again:" WAIT LOAD "@%p1 bra again;"), SC_GRID_WAIT);
}

#define TRIGGER	 "griddepcontrol.launch_dependents;"
#define TRIGGERS (SC_GRID_TRIGGER | SC_GRID_LATE_TRIGGER)

static unsigned trigger_of(const char *body)
{
	return grid_of_body(body) & TRIGGERS;
}

/* L-2: dependent kernels start after the wait if no trigger comes before it. */
TEST(the_place_of_the_trigger_counts)
{
	assert_int_equal(trigger_of(WAIT TRIGGER), TRIGGERS);
	assert_int_equal(trigger_of(TRIGGER WAIT), SC_GRID_TRIGGER);
	assert_int_equal(trigger_of(TRIGGER), SC_GRID_TRIGGER);
	assert_int_equal(trigger_of("call.uni wait;" TRIGGER), TRIGGERS);
	assert_int_equal(trigger_of("@%p1 " WAIT TRIGGER), SC_GRID_TRIGGER);
	assert_int_equal(trigger_of(WAIT "@%p1 " TRIGGER), TRIGGERS);
	assert_int_equal(trigger_of("@%p1 bra over;" WAIT "over:" TRIGGER), SC_GRID_TRIGGER);
	assert_int_equal(trigger_of("again:" WAIT TRIGGER "@%p1 bra again;"), TRIGGERS);
	assert_int_equal(trigger_of("again:" TRIGGER WAIT "@%p1 bra again;"), SC_GRID_TRIGGER);
}

#define HOST_BOTH  (SC_GRID_PUBLISHES_HOST | SC_GRID_OBSERVES_HOST)
#define OTHER_BOTH (SC_GRID_PUBLISHES | SC_GRID_OBSERVES)

/* One kernel of the given body. */
static unsigned talk_of(const char *body)
{
	char text[512];

	snprintf(text, sizeof(text),
		 ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
		 ".reg .b32 %%r<3>;\n.reg .b64 %%rd<3>;\n%s\nret;\n}\n",
		 body);
	return grid_of(text, "k") & (HOST_BOTH | OTHER_BOTH);
}

#define FENCE "fence.acq_rel.gpu;"

/* M-4: the host sees strong accesses of system scope; volatile is of that scope. */
TEST(the_code_shows_signals_to_the_host)
{
	assert_int_equal(talk_of("st.global.u32 [%rd1], %r1;"), 0);
	assert_int_equal(talk_of("st.volatile.global.u32 [%rd1], %r1;"), SC_GRID_PUBLISHES_HOST);
	assert_int_equal(talk_of("st.volatile.shared.u32 [%rd1], %r1;"), 0);
	assert_int_equal(talk_of("st.release.sys.global.u32 [%rd1], %r1;"),
			 SC_GRID_PUBLISHES_HOST | SC_GRID_PUBLISHES);
	assert_int_equal(talk_of("st.relaxed.gpu.global.u32 [%rd1], %r1;"), 0);
	assert_int_equal(talk_of("ld.acquire.sys.u32 %r1, [%rd1];"),
			 SC_GRID_OBSERVES_HOST | SC_GRID_OBSERVES);
	assert_int_equal(talk_of("ld.volatile.u32 %r1, [%rd1];"), SC_GRID_OBSERVES_HOST);
	assert_int_equal(talk_of("atom.global.add.u32 %r1, [%rd1], 1;"), 0);
	assert_int_equal(talk_of("atom.sys.global.add.u32 %r1, [%rd1], 1;"), HOST_BOTH);
	assert_int_equal(talk_of("red.relaxed.sys.global.add.u32 [%rd1], 1;"),
			 SC_GRID_PUBLISHES_HOST);
	assert_int_equal(talk_of("membar.sys;"), HOST_BOTH);
}

/* D-7: between kernels it takes a release, or an acquire, beside the word. */
TEST(the_code_shows_signals_to_kernels)
{
	assert_int_equal(talk_of(FENCE), 0);
	assert_int_equal(talk_of("membar.cta; atom.global.add.u32 %r1, [%rd1], 1;"), 0);
	assert_int_equal(talk_of(FENCE "atom.global.add.u32 %r1, [%rd1], 1;"), OTHER_BOTH);
	assert_int_equal(talk_of(FENCE "st.relaxed.gpu.global.u32 [%rd1], %r1;"),
			 SC_GRID_PUBLISHES);
	assert_int_equal(talk_of("st.release.gpu.global.u32 [%rd1], %r1;"), SC_GRID_PUBLISHES);
	assert_int_equal(talk_of("ld.acquire.gpu.global.u32 %r1, [%rd1];"), SC_GRID_OBSERVES);
	assert_int_equal(talk_of(FENCE "ld.relaxed.gpu.global.u32 %r1, [%rd1];"), SC_GRID_OBSERVES);
	assert_int_equal(talk_of(FENCE "st.global.u32 [%rd1], %r1;"), 0);
}

static unsigned fence_of(const char *fence)
{
	char text[256];

	snprintf(text, sizeof(text), "%s.visible .entry k()\n{\n%s\nret;\n}\n",
		 ".version 9.5\n.target sm_90\n.address_size 64\n", fence);
	return grid_of(text, "k") & SC_GRID_ALIAS_FENCE;
}

/* P-12: also those of one direction. */
TEST(the_code_shows_fences_of_aliases)
{
	assert_int_equal(fence_of("fence.proxy.alias;"), SC_GRID_ALIAS_FENCE);
	assert_int_equal(fence_of("fence.proxy.alias.release.sys;"), SC_GRID_ALIAS_FENCE);
	assert_int_equal(fence_of("fence.alias.sync_restrict::read.release.sys;"),
			 SC_GRID_ALIAS_FENCE);
	assert_int_equal(fence_of("fence.proxy.async;"), 0);
}

/* Copies whose one side is shared memory, and whose other side a device may wait for. */
TEST(the_code_shows_signals_by_copies)
{
	assert_int_equal(
		talk_of(FENCE "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 64;"), 0);
	assert_int_equal(talk_of(FENCE
				 "cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.b128 "
				 "[%rd1], [%r1], 64;"),
			 OTHER_BOTH);
	assert_int_equal(talk_of("cp.async.bulk.relaxed.sys.global.shared::cta.bulk_group.b128 "
				 "[%rd1], [%r1], 64;"),
			 HOST_BOTH);
	assert_int_equal(talk_of(FENCE
				 "cp.reduce.async.bulk.relaxed.cta.shared::cluster.shared::cta"
				 ".mbarrier::complete_tx::bytes.add.u32 [%r1], [%r1], 64, [%r2];"),
			 0);
	assert_int_equal(talk_of(FENCE "multimem.cp.async.bulk.global.shared::cta.bulk_group "
				       "[%rd1], [%r1], 64;"),
			 OTHER_BOTH);
	assert_int_equal(talk_of("fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B"
				 ".mbarrier::report::fabric.relaxed.sys.b128 "
				 "[%r1, %rd1], [%r1], %r2, [%r2];"),
			 HOST_BOTH);
}

/* The wait may be in a function that was not inlined, or in one that nobody can look into. */
TEST(called_functions_count)
{
	static const char near[] =
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".func wait()\n{\n.reg .b32 %r<2>;\ngriddepcontrol.wait;\nret;\n}\n"
		".visible .entry k()\n{\ncall.uni wait;\nret;\n}\n";
	static const char far[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
				  ".extern .func away();\n"
				  ".visible .entry k()\n{\ncall.uni away;\nret;\n}\n";

	assert_int_equal(grid_of(near, "k"), SC_GRID_KNOWN | SC_GRID_WAIT);
	assert_int_equal(grid_of(far, "k"), 0);
}

/* ---- a choice among the device code of a file ---- */

#define PUT_HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
#define PUT(offset)                                                                    \
	".visible .entry put(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<2>;\n" \
	"ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"                    \
	"mov.u32 %r1, 7;\nst.global.u32 [%rd2" offset "], %r1;\nret;\n}\n"
#define CALLS                                                               \
	".func help()\n{\nret;\n}\n.visible .entry put(.param .u64 p)\n{\n" \
	"call.uni help;\nret;\n}\n"

/* Image `id` is a fatbin of one entry, and a part of what module 3 may be. */
static void note_choice(struct sc_code *c, uint32_t id, uint16_t kind, const char *text)
{
	size_t bytes = strlen(text),
	       room = sizeof(struct sim_fatbin_head) + sizeof(struct sim_fatbin_entry) + bytes;
	struct sim_fatbin_head head = {SIM_FATBIN_MAGIC, 1, sizeof(head), room - sizeof(head)};
	struct sim_fatbin_entry entry = {
		.kind = kind, .header_bytes = sizeof(entry), .stored_bytes = bytes, .arch = 75};
	struct sc_record choice = {.op = {.kind = SC_OP_MODULE_CHOICE, .object = 3, .peer = id}};
	struct sc_op image = {.kind = SC_OP_IMAGE, .object = id, .bytes = room};
	uint8_t *data = malloc(room);

	assert_non_null(data);
	memcpy(data, &head, sizeof(head));
	memcpy(data + sizeof(head), &entry, sizeof(entry));
	memcpy(data + sizeof(head) + sizeof(entry), text, bytes);
	note(c, image, SC_ATTACH_IMAGE, data, room);
	sc_code_note(c, &choice);
	free(data);
}

static void note_put(struct sc_code *c)
{
	note(c, (struct sc_op){.kind = SC_OP_FUNCTION, .object = 5, .peer = 3}, SC_ATTACH_TEXT,
	     "put", 3);
}

/* What is known of kernel put if image 4 is this text and image 6 the other one, in any order. */
enum { UNKNOWN, UNSURE, SURE };

static unsigned known_of(const char *one, uint16_t kind, const char *other)
{
	unsigned known[2];

	for (unsigned turn = 0; turn < 2; turn++) {
		struct sc_code c = {0};
		const struct sc_code_kernel *k;

		if (turn)
			note_choice(&c, 6, kind, other);
		note_choice(&c, 4, SIM_FATBIN_PTX, one);
		if (!turn)
			note_choice(&c, 6, kind, other);
		note_put(&c);
		k = sc_code_kernel(&c, 5);
		known[turn] = !k->code ? UNKNOWN : k->is_sure ? SURE : UNSURE;
		sc_code_fini(&c);
	}
	assert_int_equal(known[0], known[1]);
	return known[0];
}

TEST(a_choice_of_one_text_is_certain)
{
	assert_int_equal(known_of(PUT_HEAD PUT(""), SIM_FATBIN_PTX, PUT_HEAD), SURE);
	assert_int_equal(known_of(PUT_HEAD, SIM_FATBIN_PTX, PUT_HEAD), UNKNOWN);
}

TEST(a_choice_of_the_same_code_is_certain)
{
	assert_int_equal(known_of(PUT_HEAD PUT(""), SIM_FATBIN_PTX,
				  PUT_HEAD ".global .u32 more;\n\n" PUT("")),
			 SURE);
}

TEST(a_choice_of_other_code_is_unknown)
{
	assert_int_equal(known_of(PUT_HEAD PUT(""), SIM_FATBIN_PTX, PUT_HEAD PUT("+4")), UNKNOWN);
	assert_int_equal(known_of(PUT_HEAD PUT(""), SIM_FATBIN_PTX, PUT_HEAD CALLS), UNKNOWN);
	/* what is called may differ */
	assert_int_equal(known_of(PUT_HEAD CALLS, SIM_FATBIN_PTX, PUT_HEAD "\n" CALLS), UNKNOWN);
}

/* Machine code, or a text, that cannot be read may have the kernel. */
TEST(a_choice_that_is_not_read_leaves_doubt)
{
	assert_int_equal(known_of(PUT_HEAD PUT(""), SIM_FATBIN_ELF, "no machine code"), UNSURE);
	assert_int_equal(known_of(PUT_HEAD PUT(""), 77, "of no known kind"), UNSURE);
}

TEST(a_choice_that_was_not_kept_leaves_doubt)
{
	struct sc_record missing = {.op = {.kind = SC_OP_MODULE_CHOICE, .object = 3}};
	struct sc_record lost = {.op = {.kind = SC_OP_MODULE_CHOICE, .object = 3, .peer = 99}};

	for (unsigned turn = 0; turn < 2; turn++) {
		struct sc_code c = {0};

		note_choice(&c, 4, SIM_FATBIN_PTX, PUT_HEAD PUT(""));
		sc_code_note(&c, turn ? &lost : &missing);
		note_put(&c);
		assert_non_null(sc_code_kernel(&c, 5)->code);
		assert_false(sc_code_kernel(&c, 5)->is_sure);
		sc_code_fini(&c);
	}
}

TEST(more_choices_than_are_looked_at_leave_doubt)
{
	struct sc_code c = {0};

	note_choice(&c, 4, SIM_FATBIN_PTX, PUT_HEAD PUT(""));
	for (uint32_t id = 6; id < 5006; id++) {
		struct sc_record r = {.op = {.kind = SC_OP_MODULE_CHOICE, .object = 3, .peer = id}};

		sc_code_note(&c, &r);
	}
	note_put(&c);
	assert_false(sc_code_kernel(&c, 5)->is_sure);
	sc_code_fini(&c);
}

/* While a run is followed, images beyond the bound are left alone; those unpacked make room. */
TEST(images_have_a_bound)
{
	struct sc_code c = {.most = PTX_BYTES + PTX_BYTES / 2};
	struct sc_op other = {.kind = SC_OP_IMAGE, .object = 9, .bytes = PTX_BYTES};
	struct sc_op later = {.kind = SC_OP_IMAGE, .object = 10, .bytes = PTX_BYTES};
	struct sc_footprint f;

	note_piece(&c, 0, PTX_BYTES);
	note(&c, other, SC_ATTACH_IMAGE, ptx, PTX_BYTES);
	assert_int_equal(c.images->held_bytes, PTX_BYTES);
	note_kernel(&c, "put");
	assert_true(ask(&c, 8, &f));
	assert_int_equal(c.images->held_bytes, 0);
	note(&c, later, SC_ATTACH_IMAGE, ptx, PTX_BYTES);
	assert_int_equal(c.images->held_bytes, PTX_BYTES);
	sc_code_fini(&c);
}

/* Another analysis of the same trace reads no code again, and knows no image before it comes. */
TEST(analyses_share_images)
{
	struct sc_code first = {0}, second = {0}, third = {0};
	struct sc_code_images *images;
	struct sc_footprint f;

	note_piece(&first, 0, PTX_BYTES);
	note_kernel(&first, "put");
	assert_true(ask(&first, 8, &f));
	sc_code_share(&second, first.images);
	note_kernel(&second, "put");
	assert_false(ask(&second, 8, &f));
	sc_code_share(&third, first.images);
	note_piece(&third, 0, PTX_BYTES);
	note_kernel(&third, "put");
	assert_true(ask(&third, 8, &f));
	assert_ptr_equal(sc_code_kernel(&third, 5)->code, sc_code_kernel(&first, 5)->code);
	assert_null(sc_code_take_images(&third));
	sc_code_fini(&third);
	sc_code_fini(&second);
	images = sc_code_take_images(&first);
	sc_code_fini(&first);
	assert_non_null(images);
	assert_non_null(sc_code_images_find(images, 4));
	sc_code_images_free(images);
}
