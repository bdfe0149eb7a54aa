/* One test a row of api.def: each parameter gets a value of its own, and what the decoder makes of
 * it must come from a parameter whose name means that. The names are NVIDIA's, so this table and
 * the rows are two witnesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "interposer/call/api.h"
#include "trace/op.h"

#define PARAM_BYTES  512
#define MEMBERS_MOST 24
#define CELL_WORDS   32

/* What the members of the parameter structs stand for. Numbers of rows and bytes may be multiplied
 * by the size of an element, which the call's name contains. */
enum role {
	STREAM = 1 << 0,
	EVENT = 1 << 1,
	EVENT2 = 1 << 2,
	DST = 1 << 3,
	SRC = 1 << 4,
	BYTES = 1 << 5,
	ROWS = 1 << 6,
	PITCH = 1 << 7,
	CONTEXT = 1 << 8,
	DST_CONTEXT = 1 << 9,
	SRC_CONTEXT = 1 << 10,
	DST_ARRAY = 1 << 11,
	SRC_ARRAY = 1 << 12,
	HANDLE = 1 << 13,
	FILL = 1 << 14,
	GREEN = 1 << 15
};

static const struct {
	const char *member;
	unsigned roles;
} meanings[] = {
	{"hStream", STREAM},
	{"stream", STREAM},
	{"config", STREAM},
	{"dstStream", STREAM},
	{"hEvent", EVENT},
	{"event", EVENT},
	{"hStart", EVENT},
	{"hEnd", EVENT2},
	{"dst", DST},
	{"dstDevice", DST},
	{"dstHost", DST},
	{"dptr", DST},
	{"pdptr", DST},
	{"p", DST},
	{"pp", DST},
	{"ptr", DST},
	{"ptr_out", DST},
	{"devPtr", DST},
	{"addr", DST | SRC},
	{"dstOffset", DST},
	{"dstArray", DST_ARRAY},
	{"hArray", DST_ARRAY},
	{"hMipmappedArray", DST_ARRAY},
	{"src", SRC},
	{"srcDevice", SRC},
	{"srcHost", SRC},
	{"srcOffset", SRC},
	{"srcArray", SRC_ARRAY},
	{"ByteCount", BYTES},
	{"bytesize", BYTES},
	{"bytes", BYTES},
	{"length", BYTES},
	{"size", BYTES},
	{"N", BYTES},
	{"count", BYTES},
	{"Width", BYTES},
	{"WidthInBytes", BYTES},
	{"Height", ROWS},
	{"dstPitch", PITCH},
	{"pPitch", PITCH},
	{"uc", FILL},
	{"us", FILL},
	{"ui", FILL},
	{"pctx", CONTEXT},
	{"ctx", CONTEXT},
	{"hCtx", CONTEXT | GREEN},
	{"greenCtx", GREEN},
	{"pContext", CONTEXT},
	{"context", CONTEXT},
	{"dstContext", DST_CONTEXT},
	{"srcContext", SRC_CONTEXT},
	{"phStream", HANDLE},
	{"phEvent", HANDLE},
	{"phGraph", HANDLE},
	{"phGraphExec", HANDLE},
	{"phGraphClone", HANDLE},
	{"hGraph", HANDLE},
	{"graph", HANDLE},
	{"hGraphExec", HANDLE},
	{"graphExec", HANDLE},
	{"module", HANDLE},
	{"library", HANDLE},
	{"hmod", HANDLE},
	{"pHandle", HANDLE},
	{"extSem", HANDLE},
	{"handle", HANDLE},
	{"mcHandle", HANDLE},
	{"pool", HANDLE},
	{"pool_out", HANDLE},
	{"resource", HANDLE},
	{"peerContext", HANDLE},
	{"pDevPtr", DST},
	{"pSize", BYTES},
	{"bufferDesc", BYTES},
};

struct member {
	const char *name;
	size_t offset, bytes;
	int is_pointer;
};

struct parameters {
	struct member member[MEMBERS_MOST];
	unsigned count;
};

static struct parameters all[SC_APIS];

static void learn(int row, struct member m)
{
	struct parameters *p = &all[row];

	if (p->count >= MEMBERS_MOST || m.offset + m.bytes > PARAM_BYTES) {
		fprintf(stderr, "%s: more parameters than this test has room for\n",
			sc_entry_name(row, false));
		exit(1);
	}
	p->member[p->count++] = m;
}

#define API_MEMBER(symbol, name_, pointer)                                        \
	learn(SC_API_##symbol,                                                    \
	      (struct member){#name_, offsetof(struct symbol##_params_st, name_), \
			      sizeof(((struct symbol##_params_st *)0)->name_), pointer});

static void learn_all(void)
{
#include "api_members.h"
}

/* One call with a value of its own in each parameter; pointers lead to cells full of theirs. */
struct call {
	const struct sc_api *api;
	const struct parameters *parameters;
	uint64_t params[PARAM_BYTES / 8];
	uint64_t cell[MEMBERS_MOST][CELL_WORDS];
	struct sc_facts facts;
};

/* Distinct primes below 256: no two of them, nor their multiples by 1, 2 and 4, are equal. */
static uint64_t tag(unsigned i)
{
	static const uint8_t primes[MEMBERS_MOST] = {17, 19, 23, 29,  31,  37,	41,  43,
						     47, 53, 59, 61,  67,  71,	73,  79,
						     83, 89, 97, 101, 103, 107, 109, 113};

	return primes[i];
}

static void make_call(struct call *c, int row)
{
	memset(c, 0, sizeof(*c));
	c->api = &sc_apis[row];
	c->parameters = &all[row];
	for (unsigned i = 0; i < c->parameters->count; i++) {
		const struct member *m = &c->parameters->member[i];
		uint64_t value = tag(i);

		for (unsigned w = 0; w < CELL_WORDS; w++)
			c->cell[i][w] = value;
		if (m->is_pointer)
			value = (uint64_t)c->cell[i];
		memcpy((char *)c->params + m->offset, &value,
		       m->bytes < sizeof(value) ? m->bytes : sizeof(value));
	}
	c->api->decode(&c->facts, c->params);
}

static const char *name_of(const struct call *c)
{
	return sc_entry_name((int)(c->api - sc_apis), false);
}

static unsigned roles_of(const char *member)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		if (!strcmp(meanings[i].member, member))
			return meanings[i].roles;
	}
	return 0;
}

/* Bytes of one element of cuMemsetD8, D16, D32; 1 for all else. */
static uint64_t element(const struct sc_api *api)
{
	const char *at = strstr(api->base, "cuMemsetD");

	if (!at)
		return 1;
	return strstr(at, "D16") ? 2 : strstr(at, "D32") ? 4 : 1;
}

static bool is_value(const struct call *c, unsigned i, uint64_t value, enum role role)
{
	uint64_t factor = role == BYTES && strcmp(c->parameters->member[i].name, "ByteCount")
				  ? element(c->api)
				  : 1;

	return value == tag(i) * factor ||
	       (c->parameters->member[i].is_pointer && value == (uint64_t)c->cell[i]);
}

/* The bytes of a pitched allocation: its pitch times its height. */
static bool is_pitched(const struct call *c, uint64_t value)
{
	uint64_t area = 1;

	for (unsigned i = 0; i < c->parameters->count; i++) {
		if (roles_of(c->parameters->member[i].name) & (PITCH | ROWS))
			area *= tag(i);
	}
	return value == area;
}

/* The fact has the value of a parameter that means the role. */
static void expect_role(const struct call *c, const char *fact, uint64_t value, enum role role)
{
	for (unsigned i = 0; i < c->parameters->count; i++) {
		if (is_value(c, i, value, role) && roles_of(c->parameters->member[i].name) & role)
			return;
	}
	if (role == BYTES && is_pitched(c, value))
		return;
	for (unsigned i = 0; i < c->parameters->count; i++) {
		if (is_value(c, i, value, role))
			fail_msg("%s: %s comes from `%s`", name_of(c), fact,
				 c->parameters->member[i].name);
	}
	fail_msg("%s: %s is %#lx, which no parameter says", name_of(c), fact, (unsigned long)value);
}

#define EXPECT(member, role)                                                      \
	do {                                                                      \
		if (c->facts.member)                                              \
			expect_role(c, #member, (uint64_t)c->facts.member, role); \
	} while (0)

static void expect_every_fact_is_meant(const struct call *c)
{
	EXPECT(dst, DST);
	EXPECT(src, SRC);
	EXPECT(bytes, BYTES);
	EXPECT(rows, ROWS);
	EXPECT(pitch, PITCH);
	EXPECT(stream, STREAM);
	EXPECT(event, EVENT);
	EXPECT(event2, EVENT2);
	EXPECT(handle, HANDLE);
	EXPECT(context, CONTEXT);
	EXPECT(green, GREEN);
	EXPECT(dst_context, DST_CONTEXT);
	EXPECT(src_context, SRC_CONTEXT);
	EXPECT(dst_array, DST_ARRAY);
	EXPECT(src_array, SRC_ARRAY);
	if (c->api->kind == SC_OP_SET)
		EXPECT(value, FILL);
}

/* Roles that the facts record; a decoder function may record the others. */
static unsigned recorded(const struct sc_facts *f)
{
	return (f->dst ? DST : 0u) | (f->src ? SRC : 0u) | (f->bytes ? BYTES : 0u) |
	       (f->rows ? ROWS : 0u) | (f->pitch ? PITCH : 0u) | (f->stream ? STREAM : 0u) |
	       (f->event ? EVENT : 0u) | (f->event2 ? EVENT2 : 0u) |
	       (f->dst_context ? DST_CONTEXT : 0u) | (f->src_context ? SRC_CONTEXT : 0u) |
	       (f->dst_array ? DST_ARRAY : 0u) | (f->src_array ? SRC_ARRAY : 0u) |
	       (f->value ? FILL : 0u);
}

/* Roles that the analyzer needs of an op of that kind. */
static unsigned wanted(const struct sc_api *api)
{
	unsigned any = STREAM | EVENT | EVENT2;

	switch (api->kind) {
	case SC_OP_COPY:
		return any | DST | SRC | BYTES | DST_CONTEXT | SRC_CONTEXT | DST_ARRAY | SRC_ARRAY;
	case SC_OP_SET: return any | DST | BYTES | ROWS | PITCH | FILL;
	case SC_OP_ALLOC_ASYNC:
	case SC_OP_PIN: return any | DST | BYTES;
	case SC_OP_ALLOC:
	case SC_OP_PREFETCH:
	case SC_OP_ATTACH:
	case SC_OP_VMM_MAP:
	case SC_OP_VMM_UNMAP:
	case SC_OP_VMM_ACCESS: return any | DST | BYTES;
	case SC_OP_FREE:
	case SC_OP_FREE_ASYNC:
	case SC_OP_UNPIN: return any | DST | DST_ARRAY;
	default: return any;
	}
}

static void expect_every_parameter_is_recorded(const struct call *c)
{
	unsigned missing = c->facts.hand ? STREAM : wanted(c->api);

	for (unsigned i = 0; i < c->parameters->count; i++) {
		unsigned roles = roles_of(c->parameters->member[i].name) & missing;

		if (roles && !(roles & recorded(&c->facts)))
			fail_msg("%s: nothing is recorded of `%s`", name_of(c),
				 c->parameters->member[i].name);
	}
}

static void test_row(void **state)
{
	static struct call c;
	const struct sc_api *api = *state;

	make_call(&c, (int)(api - sc_apis));
	expect_every_fact_is_meant(&c);
	if (api->when != SC_WHEN_QUIET && api->when != SC_WHEN_WATCH)
		expect_every_parameter_is_recorded(&c);
}

int main(void)
{
	static struct CMUnitTest tests[SC_APIS];

	learn_all();
	for (int i = 0; i < SC_APIS; i++) {
		tests[i] = (struct CMUnitTest){.name = sc_entry_name(i, false),
					       .test_func = test_row,
					       .initial_state = (void *)&sc_apis[i]};
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
