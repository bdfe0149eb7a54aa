/* The executor: places of loads and stores, random ones at addresses with and without a pattern,
 * against a form that goes byte by byte and lane by lane. */
#include <stdlib.h>

#include "simulator/executor/touched.h"
#include "tests/unit/executor/executor_fixture.h"

#define LANES	 32
#define BYTES	 4096 /* of the memory that is accessed */
#define WORDS	 (BYTES / LANES / 4)
#define PER_LANE (BYTES / LANES)
#define ROUNDS	 60 /* of each access in each space */

struct data {
	uint64_t offset[LANES];
	uint64_t elements[LANES][4]; /* that a lane stores, or has loaded */
	_Alignas(16) uint8_t image[BYTES];
};
static struct data data;

struct access {
	const char *type;
	unsigned bytes; /* of an element */
	unsigned count;
	const char *registers; /* their name, and as how many bytes they are stored */
	unsigned width;
};

static const struct access accesses[] = {
	{"u8", 1, 1, "%h", 2},	   {"s8", 1, 1, "%h", 2},      {"u8", 1, 1, "%r", 4},
	{"s16", 2, 1, "%r", 4},	   {"u16", 2, 1, "%h", 2},     {"u32", 4, 1, "%r", 4},
	{"s32", 4, 1, "%rd", 8},   {"u64", 8, 1, "%rd", 8},    {"v2.u32", 4, 2, "%r", 4},
	{"v4.u32", 4, 4, "%r", 4}, {"v2.u64", 8, 2, "%rd", 8}, {"v4.u8", 1, 4, "%h", 2},
	{"v2.s16", 2, 2, "%r", 4},
};

struct space {
	const char *word;    /* of the instruction */
	const char *address; /* makes it of the offset in %rd1 */
	const char *at;	     /* the register that has it */
	const char *own;     /* the space that has a copy of the image; NULL: it is the image */
	bool is_apart;	     /* each lane has a part of it */
};

static const struct space spaces[] = {
	{".global", "add.s64 %rd1, %rd1, %rd5;", "%rd1", NULL, 0},
	{"", "add.s64 %rd1, %rd1, %rd5;", "%rd1", NULL, 0},
	{".shared", "cvt.u32.u64 %r1, %rd1; mov.u32 %r2, m; add.u32 %r1, %r1, %r2;", "%r1",
	 ".shared", 0},
	{".shared", "mov.u64 %rd2, m; add.s64 %rd1, %rd1, %rd2;", "%rd1", ".shared", 0},
	{"", "mov.u64 %rd2, m; cvta.shared.u64 %rd2, %rd2; add.s64 %rd1, %rd1, %rd2;", "%rd1",
	 ".shared", 0},
	{".local", "cvt.u32.u64 %r1, %rd1; mov.u32 %r2, m; add.u32 %r1, %r1, %r2;", "%r1", ".local",
	 1},
	{"", "mov.u64 %rd2, m; cvta.local.u64 %rd2, %rd2; add.s64 %rd1, %rd1, %rd2;", "%rd1",
	 ".local", 1},
};

/* ---- the kernel ---- */

struct text {
	char body[8192];
	size_t count;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	t->count += (size_t)vsnprintf(t->body + t->count, sizeof(t->body) - t->count, format, args);
	va_end(args);
	assert_true(t->count < sizeof(t->body));
}

/* Copies the image to the space, or back; %rd3: the lane's part in the image, %rd4: in the space.
 */
static void add_copy(struct text *t, const struct space *s, bool is_back)
{
	for (unsigned k = 0; s->own && k < WORDS; k++) {
		unsigned at = k * (s->is_apart ? 4 : LANES * 4);

		if (is_back)
			add(t, "ld%s.u32 %%r3, [%%rd4+%u]; st.global.u32 [%%rd3+%u], %%r3;\n",
			    s->own, at, at);
		else
			add(t, "ld.global.u32 %%r3, [%%rd3+%u]; st%s.u32 [%%rd4+%u], %%r3;\n", at,
			    s->own, at);
	}
}

/* The register of an element: one that has no other use. */
static unsigned element(const struct access *a, unsigned k)
{
	return k + (a->width == 2 ? 4 : 12);
}

static void add_elements(struct text *t, const struct access *a, const char *opcode)
{
	for (unsigned k = 0; k < a->count; k++)
		if (opcode[0] == 'l')
			add(t, "ld.global.b%u %s%u, [%%rd6+%u];\n", a->width * 8, a->registers,
			    element(a, k), k * 8);
		else
			add(t, "st.global.b%u [%%rd6+%u], %s%u;\n", a->width * 8, k * 8,
			    a->registers, element(a, k));
}

static void add_access(struct text *t, const struct space *s, const struct access *a, bool is_store,
		       int shift)
{
	char list[64] = "";

	for (unsigned k = 0; k < a->count; k++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s%u", k ? ", " : "",
			 a->registers, element(a, k));
	if (is_store)
		add(t, "@%%p1 st%s.%s [%s+%d], {%s};\n", s->word, a->type, s->at, shift, list);
	else
		add(t, "@%%p1 ld%s.%s {%s}, [%s+%d];\n", s->word, a->type, list, s->at, shift);
}

/* Lanes from `first` to before `end` access. */
static void make_text(struct text *t, const struct space *s, const struct access *a, bool is_store,
		      int shift, unsigned first, unsigned end)
{
	t->count = 0;
	if (s->own)
		add(t, "%s .align 16 .b8 m[%u];\n", s->own, s->is_apart ? PER_LANE : BYTES);
	add(t, "add.s64 %%rd5, %%rd9, %zu; mul.wide.u32 %%rd3, %%r9, %u;\n",
	    offsetof(struct data, image), s->is_apart ? PER_LANE : 4);
	if (s->own)
		add(t, "mov.u64 %%rd4, m;\n");
	if (s->own && !s->is_apart)
		add(t, "add.s64 %%rd4, %%rd4, %%rd3;\n");
	add(t,
	    "add.s64 %%rd3, %%rd3, %%rd5; mul.wide.u32 %%rd6, %%r9, 32;\n"
	    "add.s64 %%rd6, %%rd6, %%rd9; add.s64 %%rd6, %%rd6, %zu;\n",
	    offsetof(struct data, elements));
	add_copy(t, s, 0);
	add(t, "ld.global.u64 %%rd1, [%%rd8]; %s\n", s->address);
	add_elements(t, a, "load");
	add(t, "sub.u32 %%r2, %%r9, %u; setp.lt.u32 %%p1, %%r2, %u;\n", first, end - first);
	add_access(t, s, a, is_store, shift);
	if (is_store)
		add_copy(t, s, 1);
	else
		add_elements(t, a, "store");
}

/* ---- the naive form ---- */

struct expected {
	struct data data;
	uint8_t uses[sizeof(struct data)];
	enum exec_result result;
	unsigned lane;
};

static void use(struct expected *e, size_t at, size_t bytes, enum exec_use use)
{
	for (size_t i = 0; i < bytes; i++)
		e->uses[at + i] |= (uint8_t)(1 << use);
}

/* `at`: from the data's first byte. */
static void move(struct expected *e, const struct access *a, bool is_store, unsigned lane,
		 uint64_t at)
{
	for (unsigned k = 0; k < a->count; k++, at += a->bytes) {
		uint64_t *element = &e->data.elements[lane][k], value = 0;

		if (is_store) {
			memcpy((uint8_t *)&e->data + at, &data.elements[lane][k], a->bytes);
			continue;
		}
		memcpy(&value, (uint8_t *)&data + at, a->bytes);
		if (strchr(a->type, 's') && value >> (a->bytes * 8 - 1))
			value |= UINT64_MAX << a->bytes * 8 % 64;
		memcpy(element, &value, a->width);
	}
}

static void expect(struct expected *e, const struct space *s, const struct access *a, bool is_store,
		   int shift, unsigned first, unsigned end)
{
	uint64_t whole = (uint64_t)a->bytes * a->count, before = offsetof(struct data, image);
	uint64_t limit = s->is_apart ? PER_LANE : BYTES;

	e->data = data;
	memset(e->uses, 0, sizeof(e->uses));
	e->result = EXEC_DONE;
	for (unsigned lane = first; lane < end && e->result == EXEC_DONE; lane++) {
		uint64_t at = data.offset[lane] + (uint64_t)(int64_t)shift;

		e->lane = lane;
		if (at % whole)
			e->result = EXEC_MISALIGNED_ADDRESS;
		else if (s->own ? at > limit - whole : at + before > sizeof(data) - whole)
			e->result = EXEC_ILLEGAL_ADDRESS;
		if (e->result != EXEC_DONE)
			break;
		at += before + (s->is_apart ? lane * PER_LANE : 0);
		move(e, a, is_store, lane, at);
		if (!s->own)
			use(e, at, whole, is_store ? EXEC_WRITE : EXEC_READ);
	}
	use(e, 0, sizeof(e->data.offset), EXEC_READ);
	for (unsigned i = 0; i < LANES * a->count; i++)
		for (int u = EXEC_READ; u <= (is_store ? EXEC_READ : EXEC_WRITE); u++)
			use(e,
			    offsetof(struct data, elements) + i / a->count * 32 + i % a->count * 8,
			    a->width, (enum exec_use)u);
	for (int u = EXEC_READ; s->own && u <= (is_store ? EXEC_WRITE : EXEC_READ); u++)
		use(e, offsetof(struct data, image), BYTES, (enum exec_use)u);
}

static void compare_touched(const struct exec_touched *t, const struct expected *e)
{
	static const uint8_t told = 1 << EXEC_READ | 1 << EXEC_WRITE;
	static uint8_t uses[sizeof(struct data)];
	struct exec_piece *pieces;
	bool is_lost;
	size_t count = exec_touched_pieces(t, EXEC_PIECES_MOST, &pieces, &is_lost);

	assert_false(is_lost);
	memset(uses, 0, sizeof(uses));
	for (size_t i = 0; i < count; i++)
		for (uint64_t row = 0; row < pieces[i].rows; row++)
			memset(uses + (pieces[i].address + row * pieces[i].pitch - DEVICE_BASE),
			       pieces[i].uses & told, pieces[i].width);
	free(pieces);
	assert_memory_equal(uses, e->uses, sizeof(uses));
}

/* ---- random accesses ---- */

static int pick(int from, int to)
{
	return from + rand() % (to - from + 1);
}

/* Offsets with constant distances, most of them in the memory; often one is somewhere else. */
static void make_offsets(const struct space *s, int whole)
{
	int limit = s->is_apart ? PER_LANE : BYTES;
	int stride = pick(0, 2) ? pick(-1, 1) * whole : pick(-4, 4) * whole;
	int low = pick(0, 1) ? 8 * stride : pick(-3, 9) * whole;
	int high = pick(0, 1) ? 2 * low : pick(-3, 20) * whole;
	int first = pick(0, 7) ? limit / 2 / whole * whole : pick(0, limit / whole) * whole;
	unsigned other = (unsigned)pick(0, LANES - 1);

	for (int i = 0; i < LANES; i++)
		data.offset[i] = (uint64_t)(int64_t)(first + i % 8 * stride + (i & 8 ? low : 0) +
						     (i & 16 ? high : 0));
	switch (pick(0, 20)) {
	case 0: data.offset[other] += 1; break;
	case 1: data.offset[other] = (uint64_t)(limit - whole); break;
	case 2: data.offset[other] = (uint64_t)limit; break;
	case 3: data.offset[other] += UINT64_C(1) << 31; break;
	case 4: data.offset[other] -= (uint64_t)whole; break;
	case 5:
	case 6:
	case 7:
		for (unsigned i = 0; i < LANES; i++)
			data.offset[i] = (uint64_t)(pick(0, limit / whole - 1) * whole);
	}
}

static void fill(void)
{
	uint8_t *bytes = (uint8_t *)&data;

	for (size_t i = 0; i < sizeof(data); i++)
		bytes[i] = (uint8_t)rand();
}

static void check(const struct space *s, const struct access *a, bool is_store)
{
	static struct expected e;
	static struct text text;
	int whole = (int)(a->bytes * a->count), shift = pick(-2, 2) * whole;
	unsigned first = pick(0, 3) ? 0 : (unsigned)pick(0, LANES - 1);
	unsigned end = pick(0, 3) ? LANES : (unsigned)pick((int)first + 1, LANES);
	struct exec_touched touched = {0};
	struct device d = device_with(&data, sizeof(data), LANES);

	fill();
	make_offsets(s, whole);
	expect(&e, s, a, is_store, shift, first, end);
	make_text(&text, s, a, is_store, shift, first, end);
	d.touched = &touched;
	d.is_private = !pick(0, 3);
	device_ends(&d, text.body, e.result);
	if (e.result != EXEC_DONE) {
		assert_int_equal(d.outcome.thread[0], e.lane);
	} else {
		assert_memory_equal(&data, &e.data, sizeof(data));
		compare_touched(&touched, &e);
	}
	exec_touched_fini(&touched);
}

TEST(accesses_are_as_in_the_naive_form)
{
	srand(1);
	for (size_t s = 0; s < sizeof(spaces) / sizeof(*spaces); s++)
		for (size_t a = 0; a < sizeof(accesses) / sizeof(*accesses); a++)
			for (unsigned round = 0; round < ROUNDS; round++)
				check(&spaces[s], &accesses[a], round % 2);
}

/* An address register of 4 bytes goes on with 0 after the last number. */
TEST(short_addresses_wrap_around)
{
	struct device d = device_with(&data, sizeof(data), LANES);
	char body[256];

	snprintf(body, sizeof(body),
		 "shl.b32 %%r1, %%r9, 2; sub.u32 %%r1, %%r1, 64; ld.global.u32 %%r2, [%%r1+%llu];",
		 (unsigned long long)(DEVICE_BASE - UINT32_MAX - 1 + 64));
	device_ends(&d, body, EXEC_ILLEGAL_ADDRESS);
	assert_int_equal(d.outcome.thread[0], 16);
}
