/* The stand-in's patched texts: which instructions call a patch, with what. */
#include "tests/sanitizer/patch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "interposer/sanitizer/api.h"

static const struct standin_patches patches = {.function = {
						       [SC_SANITIZER_GLOBAL_ACCESS] = "access",
						       [SC_SANITIZER_BARRIER] = "barrier",
						       [SC_SANITIZER_ASYNC_COPY] = "async",
						       [SC_SANITIZER_BULK_LOAD] = "bulk_load",
						       [SC_SANITIZER_BULK_STORE] = "bulk_store",
						       [SC_SANITIZER_BULK_REDUCE] = "bulk_reduce",
					       }};

static const char HEAD[] =
	".version 8.0\n.target sm_90\n.global .u32 list[2] = {1, 2};\n"
	".section .debug_info\n{\n.b8 1\n}\n.extern .func other(.param .b32 x);\n"
	".visible .entry k(.param .u64 p)\n{\n\t.loc 1 2 3\n";

/* The body's text as it is patched, the caller's to free; NULL: it cannot be. */
static char *patched(const char *body)
{
	char text[4096], *made, *copy;
	size_t bytes;
	int n = snprintf(text, sizeof(text), "%s%s\n}\n", HEAD, body);

	made = standin_patch(&patches, text, (size_t)n, &bytes);
	copy = made ? strndup(made, bytes) : NULL;
	free(made);
	return copy;
}

/* Pieces of what comes before the statement, NULL: nothing does. */
static const struct row {
	const char *statement;
	const char *pieces[5];
} rows[] = {
	{"ld.global.u32 %r1, [%rd1+8];",
	 {"add.s64 %sca, %sca, 8;", "[scp3], 4;", "[scp4], 1;", "[scp5], 0;", "access"}},
	{"ld.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];", {"mov.b64 %sca, %rd1;", "[scp3], 16;"}},
	{"ld.global.nc.L2::128B.v2.u16 {%rs1, %rs2}, [list+-2];", {"list;", ", -2;", "[scp3], 4;"}},
	{"@!%p1 st.global.u8 [%rd1], %rs1;",
	 {"@!%p1 call", "[scp3], 1;", "[scp4], 2;", "[scp5], 1;"}},
	{"L1: atom.global.add.f64 %fd1, [%rd1], %fd2;", {"[scp3], 8;", "[scp4], 7;", "[scp5], 0;"}},
	{"red.add.noftz.f16x2 [%rd1], %r1;", {"[scp3], 4;", "[scp4], 7;"}},
	{"prefetch.global.L2 [%rd1];", {"[scp4], 9;", "access"}},
	{"cp.async.ca.shared.global [%r1], [%rd2+16], 16;",
	 {"%sca, %rd2;", "[scp4], 16;", "async"}},
	{"@%p1 cp.async.cg.shared.global [%r1], [%rd2], 16, %r3;",
	 {"setp.ne.u32 %scq, %r3, 0;", "mov.pred %scg, %p1;", "@%scq call"}},
	{"cp.async.ca.shared.global [%r1], [%rd2], 4, %p2;", {"not.pred %scq, %p2;", "@%scq call"}},
	{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2], %r3, "
	 "[%r4];",
	 {"%sca, %rd2;", "mov.b32 %scl, %r3;", "[scp5], %scl;", "bulk_load"}},
	{"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 64;",
	 {"%sca, %rd1;", "mov.b32 %scl, 64;", "[scp4], %scl;", "bulk_store"}},
	{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r2], %r3;",
	 {"%sca, %rd1;", "bulk_reduce"}},
	{"mbarrier.init.shared::cta.b64 [%r1], 1;", {"barrier"}},
	{"ld.shared.u32 %r1, [%r2];", {NULL}},
	{"st.local.u32 [%rd1], %r2;", {NULL}},
	{"st.param.b32 [param0+0], %r1;", {NULL}},
	{"ld.const.u32 %r1, [%rd1];", {NULL}},
	{"atom.shared::cta.add.u32 %r1, [%r2], 1;", {NULL}},
	{"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];", {NULL}},
	{"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
	 "[%r1], [%rd1, {%r2}], [%r3];",
	 {NULL}},
	{"cp.async.wait_group 0;", {NULL}},
	{"{ .param .b32 param0; call.uni other, (param0); }", {NULL}},
	{"add.s32 %r1, %r2, 3;", {NULL}},
};

TEST(instructions)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];
		char *text = patched(r->statement), whole[4096];

		assert_non_null(text);
		snprintf(whole, sizeof(whole), "%s%s\n}\n", HEAD, r->statement);
		if (!r->pieces[0])
			assert_string_equal(text, whole);
		for (unsigned k = 0; k < 5 && r->pieces[k]; k++)
			if (!strstr(text, r->pieces[k]))
				fail_msg("no %s in %s", r->pieces[k], text);
		free(text);
	}
}

static unsigned lines(const char *text)
{
	unsigned count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

TEST(lines_stay)
{
	static const char body[] =
		"ld.global.u32 %r1,\n [%rd1];\n\n@%p1\n st.u32 [%rd1], %r1;\nret;";
	char *text = patched(body);

	assert_non_null(text);
	assert_int_equal(lines(text), lines(HEAD) + lines(body) + 2);
	free(text);
}

TEST(no_patch_no_change)
{
	static const struct standin_patches none = {0};
	static const char text[] = ".func f()\n{\nld.global.u32 %r1, [%rd1];\n}\n";
	size_t bytes;
	char *made = standin_patch(&none, text, sizeof(text) - 1, &bytes);

	assert_int_equal(bytes, sizeof(text) - 1);
	assert_memory_equal(made, text, bytes);
	free(made);
}

TEST(what_is_not_known_is_refused)
{
	static const char *const bodies[] = {
		"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1}, [%rd1];",
		"multimem.ld_reduce.global.add.u32 %r1, [%rd1];", "ld.global %r1, [%rd1];",
		"cp.async.ca.shared.global [%r1];", "atom.global.add.u32 %r1;"};

	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++)
		assert_null(patched(bodies[i]));
}

/* Texts that end anywhere. */
TEST(cut_texts)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[4096];
		int n = snprintf(text, sizeof(text), "%s%s\n}\n", HEAD, rows[i].statement);

		for (int end = 0; end < n; end++) {
			char *copy = malloc((size_t)end + 1);
			size_t bytes;

			memcpy(copy, text, (size_t)end);
			free(standin_patch(&patches, copy, (size_t)end, &bytes));
			free(copy);
		}
	}
}
