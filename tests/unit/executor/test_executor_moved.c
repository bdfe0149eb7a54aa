/* Tests of simulator/executor/code/moved.h, by what a launch notes of its reads. */
#include <stdlib.h>

#include "simulator/executor/touched.h"
#include "tests/unit/executor/executor_fixture.h"

static uint32_t words[64];

/* Of the first word. */
static uint8_t uses_of_first(const char *body)
{
	struct exec_touched touched = {0};
	struct device d = device_with(words, sizeof(words), 1);
	struct exec_piece *pieces;
	bool is_lost;
	uint8_t uses;

	d.touched = &touched;
	d.functions = ".shared .align 16 .b8 tile[256];\n"
		      ".func (.param .b32 out) same(.param .b32 in) {\n"
		      ".reg .b32 %r<2>; ld.param.u32 %r1, [in]; st.param.u32 [out], %r1; ret;\n}\n";
	device_runs(&d, body);
	assert_true(exec_touched_pieces(&touched, 64, &pieces, &is_lost));
	assert_true(pieces[0].address == DEVICE_BASE);
	uses = pieces[0].uses;
	free(pieces);
	exec_touched_fini(&touched);
	return uses;
}

/* How the first word is read: EXEC_READ_MOVED or EXEC_READ. */
static enum exec_use use_of_first(const char *body)
{
	uint8_t uses = uses_of_first(body);

	assert_true(uses & 1 << EXEC_READ);
	return uses & 1 << EXEC_READ_MOVED ? EXEC_READ_MOVED : EXEC_READ;
}

static void expect_all(const char *const *bodies, enum exec_use use)
{
	for (; *bodies; bodies++) {
		enum exec_use found = use_of_first(*bodies);

		if (found != use)
			fail_msg("%s: %d", *bodies, (int)found);
	}
}

#define LOAD "ld.global.u32 %r1, [%rd9];"

TEST(what_is_only_stored_is_moved)
{
	static const char *const bodies[] = {
		LOAD "st.global.u32 [%rd9+64], %r1;",
		LOAD "mov.u32 %r2, %r1; mov.b32 %f1, %r2; st.global.f32 [%rd9+64], %f1;",
		/* Vectors, of which a part is left. */
		"ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd9];"
		"st.global.v2.u32 [%rd9+64], {%r3,%r1};",
		/* A part of a struct, whose rest is padding. */
		"ld.global.u64 %rd1, [%rd9]; cvt.u32.u64 %r1, %rd1; add.u32 %r1, %r1, 1;"
		"st.global.u32 [%rd9+64], %r1;",
		"ld.global.u64 %rd1, [%rd9]; mov.b64 {%r1,%r2}, %rd1; add.u32 %r1, %r1, 1;"
		"st.global.u32 [%rd9+64], %r1;",
		"ld.global.v2.u32 {%r1,%r2}, [%rd9]; add.u32 %r1, %r1, 1;"
		"st.global.v2.u32 [%rd9+64], {%r1,%r2};",
		/* To another lane. */
		LOAD "shfl.sync.down.b32 %r2|%p1, %r1, 1, 31, 1; st.global.u32 [%rd9+64], %r2;",
		/* A bit field among others. */
		LOAD "and.b32 %r2, %r1, -16; or.b32 %r3, %r2, 5; st.global.u32 [%rd9], %r3;",
		LOAD "mov.u32 %r2, 5; bfi.b32 %r3, %r2, %r1, 4, 3; st.global.u32 [%rd9], %r3;",
		LOAD "shr.u32 %r2, %r1, 8; cvt.u16.u32 %h1, %r2; st.global.u16 [%rd9+64], %h1;",
		LOAD "prmt.b32 %r2, %r1, 0, 0x4442; st.global.u32 [%rd9+64], %r2;",
		LOAD "setp.eq.u32 %p1, %r9, 0; selp.b32 %r2, %r1, 7, %p1;"
		     "st.global.u32 [%rd9+64], %r2;",
		/* Two words change places. */
		LOAD "ld.global.u32 %r2, [%rd9+64]; st.global.u32 [%rd9], %r2;"
		     "st.global.u32 [%rd9+64], %r1;",
		/* Through the block's memory. */
		LOAD "st.shared.u32 [tile], %r1; bar.sync 0; ld.shared.u32 %r2, [tile];"
		     "st.global.u32 [%rd9+64], %r2;",
		/* From turn to turn. */
		"mov.u32 %r3, 0; mov.u32 %r2, 0; L: st.global.u32 [%rd9+64], %r2;" LOAD
		"mov.u32 %r2, %r1; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3; @%p1 bra L;",
		/* Nobody wants it. */
		LOAD, NULL};

	expect_all(bodies, EXEC_READ_MOVED);
}

TEST(what_decides_something_is_used)
{
	static const char *const bodies[] = {
		LOAD "add.u32 %r2, %r1, 1; st.global.u32 [%rd9], %r2;",
		LOAD "setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%rd9+64], 1;",
		LOAD "setp.eq.u32 %p1, %r1, 0; selp.b32 %r2, 3, 7, %p1;"
		     "st.global.u32 [%rd9+64], %r2;",
		LOAD "and.b32 %r1, %r1, 7; cvt.u64.u32 %rd1, %r1; add.s64 %rd1, %rd1, %rd9;"
		     "st.global.u8 [%rd1], 1;",
		"ld.global.v2.u32 {%r1,%r2}, [%rd9]; add.u32 %r1, %r1, %r2;"
		"st.global.u32 [%rd9+64], %r1;",
		"ld.global.u64 %rd1, [%rd9]; mov.b64 {%r1,%r2}, %rd1; add.u32 %r1, %r1, %r2;"
		"st.global.u32 [%rd9+64], %r1;",
		LOAD "shfl.sync.down.b32 %r2|%p1, %r1, 1, 31, 1; add.u32 %r2, %r2, 1;"
		     "st.global.u32 [%rd9+64], %r2;",
		LOAD "cvt.rn.f32.u32 %f1, %r1; st.global.f32 [%rd9+64], %f1;",
		LOAD "shl.b32 %r2, %r1, 1; st.global.u32 [%rd9+64], %r2;",
		LOAD "and.b32 %r1, %r1, 3; mov.u32 %r3, 9; shl.b32 %r2, %r3, %r1;"
		     "st.global.u32 [%rd9+64], %r2;",
		LOAD "mov.u32 %r2, %r1; st.global.u32 [%rd9+64], %r2; add.u32 %r3, %r2, %r2;"
		     "st.global.u32 [%rd9+68], %r3;",
		LOAD "atom.global.add.u32 %r2, [%rd9+64], %r1;",
		LOAD "st.shared.u32 [tile], %r1; bar.sync 0; ld.shared.u32 %r2, [tile];"
		     "add.u32 %r2, %r2, 1; st.global.u32 [%rd9+64], %r2;",
		/* Memory of the block by an address that names no space. */
		LOAD "mov.u64 %rd1, tile; cvta.shared.u64 %rd1, %rd1; st.u32 [%rd1], %r1;"
		     "ld.shared.u32 %r2, [tile]; add.u32 %r2, %r2, 1;"
		     "st.global.u32 [%rd9+64], %r2;",
		LOAD "st.shared.u32 [tile], %r1; atom.shared.add.u32 %r2, [tile], 1;",
		/* What functions do is not known. */
		LOAD "{.param .b32 a; .param .b32 b; st.param.u32 [a], %r1;"
		     "call.uni (b), same, (a); ld.param.u32 %r2, [b];}"
		     "st.global.u32 [%rd9+64], %r2;",
		/* One of two loads of the same bytes. */
		LOAD "st.global.u32 [%rd9+64], %r1; ld.global.u32 %r2, [%rd9];"
		     "add.u32 %r2, %r2, 1; st.global.u32 [%rd9+68], %r2;",
		NULL};

	expect_all(bodies, EXEC_READ);
}

#define EXCHANGE "atom.global.exch.b32 %r1, [%rd9], 7;"

TEST(an_exchange_without_result_only_writes)
{
	static const char *const bodies[] = {
		EXCHANGE, "atom.global.exch.b64 _, [%rd9], 7;",
		"atom.global.cta.release.exch.b32 %r1, [%rd9], 7;",
		/* The same word is read again, and added to. */
		EXCHANGE "ld.global.u32 %r2, [%rd9]; add.u32 %r2, %r2, 1;"
			 "st.global.u32 [%rd9+64], %r2; red.global.add.u32 [%rd9], 1;",
		NULL};

	for (const char *const *body = bodies; *body; body++)
		assert_true(uses_of_first(*body) & 1 << EXEC_EXCHANGED);
}

TEST(other_atomics_read)
{
	static const char *const bodies[] = {
		EXCHANGE "st.global.u32 [%rd9+64], %r1;", EXCHANGE "@%p1 mov.u32 %r1, 5;",
		"red.global.add.u32 [%rd9], 1;", "red.global.max.u32 [%rd9], 1;",
		"red.global.or.b32 [%rd9], 1;", "atom.global.inc.u32 %r1, [%rd9], 1;",
		"atom.global.cas.b32 %r1, [%rd9], 0, 1;",
		/* A lock, which is given back. */
		"atom.global.cas.b32 %r2, [%rd9], 0, 1;" EXCHANGE,
		/* A flag, for which others wait. */
		EXCHANGE "ld.volatile.global.u32 %r2, [%rd9]; st.global.u32 [%rd9+64], %r2;", NULL};

	for (const char *const *body = bodies; *body; body++)
		if (uses_of_first(*body) & 1 << EXEC_EXCHANGED)
			fail_msg("%s", *body);
}
