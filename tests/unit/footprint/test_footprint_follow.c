/* Words of parameters: which of them a kernel may follow. */
#include "tests/unit/unit.h"
#include <string.h>

#include "footprint/footprint.h"
#include "base/buf.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

/* k(struct s { word 0, word 8, word 16, word 24 }) loads an address from memory at word 0 and
 * writes there: an access whose address is not known. */
#define KERNEL                                                                                  \
	".visible .entry k(.param .align 8 .b8 s[32])\n{\n.reg .b64 %a, %w, %x, %y; .reg .b32 " \
	"%i, %j; .reg .pred %p; .local .align 8 .b8 stack[32];\nld.param.b64 %a, [s];\n"        \
	"ld.global.b64 %x, [%a]; st.global.b32 [%x], 1;\n"
#define TAIL "\nret;\n}\n"

/* keep(p): a function that is not looked into. */
#define UNKNOWN ".extern .func keep(.param .b64 p);\n"
#define CALL	"{ .param .b64 p0; st.param.b64 [p0], %w; call.uni keep, (p0); }\n"
/* same(p): what it is given, in a register that comes from it. */
#define KNOWN                                                           \
	".func (.param .b64 r) same(.param .b64 p)\n{\n.reg .b64 %d;\n" \
	"ld.param.b64 %d, [p]; st.param.b64 [r], %d; ret;\n}\n"
#define CALL_KNOWN                                                                       \
	"{ .param .b64 p0; .param .b64 r0; st.param.b64 [p0], %w; call.uni (r0), same, " \
	"(p0); ld.param.b64 %y, [r0]; }\n"

static bool may_follow(const char *functions, const char *body, uint32_t offset)
{
	struct sc_footprint_module *m;
	struct sc_buf text = {0};
	bool answer;

	sc_buf_printf(&text, "%s%s%s%s%s", HEAD, functions, KERNEL, body, TAIL);
	m = sc_footprint_parse(text.text, text.bytes);
	assert_int_equal(sc_footprint_problems(m), 0);
	answer = sc_footprint_may_follow(sc_footprint_find(m, "k"), offset);
	assert_int_equal(sc_footprint_may_follow(sc_footprint_find(m, "k"), offset), answer);
	sc_footprint_free(m);
	sc_buf_fini(&text);
	return answer;
}

/* Bodies that use word 8, and whether it may be followed. */
static const struct {
	const char *body;
	const char *functions;
	bool is_followed;
} uses[] = {
	{"", "", 0},
	{"ld.param.b64 %w, [s+16];", "", 0},
	{"ld.param.b64 %w, [s+8];", "", 0},
	{"ld.param.b64 %w, [s+8]; setp.ne.s64 %p, %w, 0; @%p st.global.b32 [%a], 1;", "", 0},
	{"ld.param.b64 %w, [s+8]; st.global.b32 [%w], 1;", "", 1},
	{"ld.param.b64 %w, [s+8]; cvta.to.global.u64 %y, %w; ld.global.b32 %i, [%y+4];", "", 1},
	/* What is loaded through it is another address. */
	{"ld.param.b64 %w, [s+24]; ld.global.b64 %y, [%w]; st.global.b32 [%y], 1;", "", 0},
	/* Out of sight. */
	{"ld.param.b64 %w, [s+8]; st.local.b64 [stack], %w;", "", 1},
	{"ld.param.b64 %w, [s+8]; st.global.b64 [%a+8], %w;", "", 1},
	{"ld.param.v2.b64 {%w, %y}, [s+8]; st.local.v2.b64 [stack], {%w, %y};", "", 1},
	{"ld.param.v2.b64 {%y, %w}, [s]; st.local.b64 [stack], %y;", "", 0},
	{"ld.param.b32 %i, [s+12]; st.local.b32 [stack], %i;", "", 1},
	{"ld.param.b32 %i, [s+16]; st.local.b32 [stack], %i;", "", 0},
	{"ld.param.b64 %w, [s+8]; atom.global.exch.b64 %y, [%a], %w;", "", 1},
	{"ld.param.b64 %w, [s+8]; mov.b64 {%i, %j}, %w; shfl.sync.bfly.b32 %i, %i, 1, 31, -1;", "",
	 1},
	/* By its place. */
	{"mov.b64 %y, s; ld.param.b64 %w, [%y+8]; st.local.b64 [stack], %w;", "", 1},
	{"mov.b64 %y, s; st.local.b64 [stack], %y;", "", 1},
	{"mov.b64 %y, s; ld.param.b64 %w, [%y+8]; setp.ne.s64 %p, %w, 0;", "", 0},
	/* Around a loop: what is used above is made below. */
	{"loop: st.local.b64 [stack], %y; mov.b64 %y, %x; mov.b64 %x, %w;\n"
	 "ld.param.b64 %w, [s+8]; bra loop;",
	 "", 1},
	/* Through functions. */
	{"ld.param.b64 %w, [s+8];" CALL, UNKNOWN, 1},
	{"ld.param.b64 %w, [s+16];" CALL, UNKNOWN, 0},
	{"ld.param.b64 %w, [s+8];" CALL_KNOWN, KNOWN, 0},
	{"ld.param.b64 %w, [s+8];" CALL_KNOWN "st.local.b64 [stack], %y;", KNOWN, 1},
};

TEST(word_that_may_be_followed)
{
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		if (may_follow(uses[i].functions, uses[i].body, 8) != uses[i].is_followed)
			fail_msg("%s: %s", uses[i].body, uses[i].is_followed ? "no" : "yes");
}

TEST(pointer_of_a_known_access)
{
	assert_true(may_follow("", "", 0));
}

/* Of a kernel that is too odd to be looked into, any word. */
TEST(kernel_that_is_not_understood)
{
	assert_true(may_follow("", ".pragma \"never seen\";", 24));
}

/* So many words are looked at; any other may be followed. */
TEST(many_words)
{
	static const char text[] =
		HEAD ".visible .entry k(.param .align 8 .b8 s[1024])\n{\nret;\n}\n";
	struct sc_footprint_module *m = sc_footprint_parse(text, strlen(text));
	struct sc_footprint_kernel *k = sc_footprint_find(m, "k");

	for (uint32_t at = 0; at < 64; at++)
		assert_false(sc_footprint_may_follow(k, at * 8));
	assert_true(sc_footprint_may_follow(k, 64 * 8));
	assert_false(sc_footprint_may_follow(k, 0));
	sc_footprint_free(m);
}
