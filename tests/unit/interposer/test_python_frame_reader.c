/* Reading an interpreter's frames: an interpreter of paper, and what may be wrong with it. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "interposer/python/frame_reader.h"
#include "interposer/core/session.h"
#include "interposer/python/python.h"
#include "interposer/python/layout.h"
#include "interposer/python/code_cache.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* As 3.12 lays them out. */
struct object {
	uint64_t references, type, count;
};

struct string {
	struct object head; /* count: characters */
	uint64_t hash, state;
	char text[24]; /* of ASCII; after two more words otherwise */
};

struct table {
	struct object head;
	uint64_t hash;
	uint8_t entry[16];
};

struct code {
	struct object head; /* count: instructions */
	uint64_t unused[5];
	int32_t flags, first_line;
	uint64_t other[5];
	struct string *file, *name, *function;
	struct table *lines;
	uint64_t more[4];
	uint64_t traceable, extra;
	uint16_t instruction[16];
};

struct frame {
	struct code *code;
	struct frame *previous;
	uint64_t unused[5];
	uint16_t *instruction;
	int32_t top;
	uint16_t back;
	uint8_t owner;
};

_Static_assert(offsetof(struct code, first_line) == 68 && offsetof(struct code, file) == 112 &&
		       offsetof(struct code, traceable) == 176 &&
		       offsetof(struct code, instruction) == 192,
	       "3.12");

static struct world {
	uint64_t thread[16];
	struct frame *current; /* what holds a frame */
	struct frame frame[3]; /* innermost first */
	struct code code;
	struct string file, function;
	struct table lines;
	uint64_t code_type, string_type, bytes_type;
} world;

static struct sc_python_layout layout;
static struct sc_safe_read memory;
static struct sc_python_reader reader = {&layout, &memory};

#define ASCII (1u << 2 | 1u << 5 | 1u << 6) /* one byte a character, compact, ASCII */

static void write_string(struct string *s, const char *text)
{
	s->head = (struct object){1, (uint64_t)&world.string_type, strlen(text)};
	s->state = ASCII;
	memcpy(s->text, text, strlen(text));
}

/* Two frames of one function, and the interpreter's own between them. */
static int make_world(void **state)
{
	static const uint8_t lines[] = {0xE8 | 1, 2, 0xD8 | 1, 0, 0}; /* +1, then +1, two each */
	struct world *w = &world;

	(void)state;
	memset((void *)&sc_python_codes, 0, sizeof(sc_python_codes)); /* not watched */
	*w = (struct world){.thread = {[7] = (uint64_t)&w->current}, .current = &w->frame[0]};
	write_string(&w->file, "train.py");
	write_string(&w->function, "Model.fetch");
	w->lines.head = (struct object){1, (uint64_t)&w->bytes_type, sizeof(lines)};
	memcpy(w->lines.entry, lines, sizeof(lines));
	w->code = (struct code){.head = {1, (uint64_t)&w->code_type, 16},
				.first_line = 10,
				.file = &w->file,
				.function = &w->function,
				.lines = &w->lines};
	w->frame[0] = (struct frame){&w->code, &w->frame[1], {0}, &w->code.instruction[1], 0, 0, 0};
	w->frame[1] = (struct frame){NULL, &w->frame[2], {0}, NULL, 0, 0, 3};
	w->frame[2] = (struct frame){&w->code, NULL, {0}, &w->code.instruction[3], 0, 0, 0};
	layout = sc_python_layout("3.12.3 (main)", NULL);
	layout.code_type = (uint64_t)&w->code_type;
	layout.string_type = (uint64_t)&w->string_type;
	layout.bytes_type = (uint64_t)&w->bytes_type;
	return 0;
}

static bool read_all(struct sc_python_frames *frames, struct sc_python_text *text)
{
	uint64_t frame;
	bool is_read;

	sc_safe_read_begin(&memory);
	is_read = sc_python_read_innermost(&reader, (uint64_t)world.thread, &frame) &&
		  sc_python_read(&reader, frame, frames) &&
		  sc_python_read_text(&reader, frames, text);
	sc_safe_read_end(&memory);
	return is_read;
}

static void expect_text(const char *expected)
{
	struct sc_python_frames frames;
	struct sc_python_text text;

	assert_true(read_all(&frames, &text));
	assert_int_equal(text.used, strlen(expected));
	assert_memory_equal(text.bytes, expected, text.used);
}

static void expect_nothing(void)
{
	struct sc_python_frames frames;
	struct sc_python_text text;

	assert_false(read_all(&frames, &text));
	make_world(NULL);
}

static uint64_t stamp(void)
{
	struct sc_python_frames frames;
	struct sc_python_text text;

	assert_true(read_all(&frames, &text));
	return frames.frame[0].stamp;
}

TEST_WITH(lines_of_frames, make_world, NULL)
{
	expect_text("Model.fetch\ttrain.py\t11\nModel.fetch\ttrain.py\t12\n");
}

TEST_WITH(frames_that_python_does_not_report, make_world, NULL)
{
	size_t before_first = offsetof(struct code, instruction) - sizeof(uint16_t);

	world.code.traceable = 2; /* the first frame has not got so far */
	expect_text("Model.fetch\ttrain.py\t12\n");
	world.frame[0].owner = 1; /* a generator's is reported, too */
	world.frame[0].instruction = (uint16_t *)((char *)&world.code + before_first);
	expect_text("Model.fetch\ttrain.py\t10\nModel.fetch\ttrain.py\t12\n");
	for (uint8_t own = 3; own <= 4; own++) {
		world.frame[0].owner = own; /* the interpreter's own: 3, and since 3.14 also 4 */
		expect_text("Model.fetch\ttrain.py\t12\n");
	}
	world.current = NULL;
	expect_text("");
}

TEST_WITH(names_of_any_width, make_world, NULL)
{
	static const uint16_t two[] = {0x9053};
	static const uint32_t four[] = {0x1F40D};

	world.current = &world.frame[2];
	world.file.head.count = world.function.head.count = 1;
	world.file.state = 2u << 2 | 1u << 5;
	world.function.state = 4u << 2 | 1u << 5;
	memcpy(world.file.text + 16, two, sizeof(two));
	memcpy(world.function.text + 16, four, sizeof(four));
	expect_text("\xF0\x9F\x90\x8D\t\xE9\x81\x93\t12\n");
	world.function.text[17] = (char)0xDC; /* half a character */
	world.function.text[18] = 0;
	expect_nothing();
}

TEST_WITH(a_stamp_is_of_contents, make_world, NULL)
{
	uint64_t before = stamp();

	assert_true(before == stamp());
	world.file.text[0] = 'T';
	assert_true(before != stamp());
	world.file.text[0] = 't';
	world.lines.entry[1] = 4; /* another line, everything else as it was */
	assert_true(before != stamp());
	world.lines.entry[1] = 2;
	world.function.head.count--;
	assert_true(before != stamp());
	world.function.head.count++;
	world.code.first_line++;
	assert_true(before != stamp());
}

/* ---- code objects that are known ---- */

static uint64_t type[8]; /* of code; the last but one word frees one */
static void *freed;

static void free_code(void *object)
{
	freed = object;
}

static void watch(void *free_function)
{
	freed = NULL;
	memset((void *)&sc_python_codes, 0, sizeof(sc_python_codes));
	type[6] = (uint64_t)free_code;
	sc_python_codes_watch((uint64_t)type, free_function);
}

TEST_WITH(a_known_code_object_is_not_hashed_again, make_world, NULL)
{
	uint64_t before;

	watch((void *)free_code);
	before = stamp();
	world.file.text[0] = 'T';
	assert_true(before == stamp());
	assert_true(type[6] != (uint64_t)free_code);
	((void (*)(void *))type[6])(&world.code); /* another one may lie there now */
	assert_ptr_equal(freed, &world.code);
	assert_true(before != stamp());
	expect_text("Model.fetch\tTrain.py\t11\nModel.fetch\tTrain.py\t12\n");
}

TEST_WITH(the_death_of_another_changes_nothing, make_world, NULL)
{
	uint64_t before;

	watch((void *)free_code);
	before = stamp();
	for (uint64_t other = 0; other < 5000; other++)
		((void (*)(void *))type[6])((char *)&world.code + 16 * (other + 1));
	world.file.text[0] = 'T';
	assert_true(before == stamp());
}

TEST_WITH(what_is_not_watched_is_not_known, make_world, NULL)
{
	uint64_t before;

	watch((void *)test_a_stamp_is_of_contents); /* the slot is elsewhere */
	assert_int_equal(type[6], (uint64_t)free_code);
	before = stamp();
	world.file.text[0] = 'T';
	assert_true(before != stamp());
	watch(NULL);
	assert_int_equal(type[6], (uint64_t)free_code);
}

/* Its function may be replaced in turn by others, who call ours. */
TEST_WITH(it_is_watched_once, make_world, NULL)
{
	uint64_t ours;

	watch((void *)free_code);
	ours = type[6];
	sc_python_codes_watch((uint64_t)type, (void *)ours);
	assert_int_equal(type[6], ours);
	((void (*)(void *))ours)(&world.code);
	assert_ptr_equal(freed, &world.code);
}

TEST_WITH(what_is_no_frame_ends_it, make_world, NULL)
{
	world.frame[1].previous = &world.frame[1];
	expect_nothing();
	world.frame[0].previous = (struct frame *)8;
	expect_nothing();
	world.frame[0].previous = (struct frame *)((char *)&world.frame[1] + 1);
	expect_nothing();
	world.frame[0].code = NULL;
	expect_nothing();
	world.frame[0].instruction = world.code.instruction + 16;
	expect_nothing();
	world.code.head.type = 0;
	expect_nothing();
	world.file.head.type = (uint64_t)&world.bytes_type;
	expect_nothing();
	world.file.head.count = UINT64_MAX;
	expect_nothing();
	world.file.state &= ~(1u << 5); /* characters elsewhere */
	expect_nothing();
	world.lines.head.count = UINT64_MAX;
	expect_nothing();
	world.thread[7] = 1;
	expect_nothing();
}

TEST_WITH(a_recursion_for_ever, make_world, NULL)
{
	struct sc_python_frames frames;
	struct sc_python_text text;

	world.frame[0].previous = &world.frame[0];
	assert_true(read_all(&frames, &text));
	assert_int_equal(frames.count, SC_PYTHON_DEPTH);
}

/* Bytes that come to be anything: whatever is read, it ends. */
TEST_WITH(any_bytes, make_world, NULL)
{
	struct sc_python_frames frames;
	struct sc_python_text text;

	srand(1);
	for (unsigned round = 0; round < 20000; round++) {
		uint8_t *bytes = (uint8_t *)&world;

		for (unsigned i = 0; i < 1 + round % 4; i++)
			bytes[(unsigned)rand() % sizeof(world)] = (uint8_t)rand();
		read_all(&frames, &text);
		assert_true(frames.count <= SC_PYTHON_DEPTH);
		make_world(NULL);
	}
}

/* ---- layouts ---- */

TEST(versions_without_a_layout)
{
	static const char *const versions[] = {"",	"2.7.18", "3",	    "3.",
					       "3.9.1", "3.10.1", "3.13.0", "3.14.0",
					       "3.99",	"4.12.0", "x.12.0"};

	for (size_t i = 0; i < LENGTH(versions); i++)
		assert_int_equal(sc_python_layout(versions[i], NULL).minor, 0);
	assert_int_equal(sc_python_layout("3.11.2+", NULL).minor, 11);
}

struct published {
	char cookie[8];
	uint64_t word[80];
};

#define PUBLISHED_WORDS 16

/* What 3.13.0 and 3.14.10 say of themselves: which word, and what it holds. */
static const uint64_t words_13[PUBLISHED_WORDS][2] = {
	{23, 72}, {30, 0},   {29, 8}, {31, 56}, {33, 70}, {35, 112}, {37, 128}, {38, 136},
	{39, 68}, {43, 200}, {45, 8}, {65, 16}, {69, 16}, {68, 32},  {70, 40},	{66, 32}};
static const uint64_t words_14[PUBLISHED_WORDS][2] = {
	{26, 72}, {33, 0},   {32, 8}, {34, 56}, {36, 74}, {40, 112}, {42, 128}, {43, 136},
	{44, 68}, {48, 208}, {51, 8}, {75, 16}, {79, 16}, {78, 32},  {80, 40},	{76, 32}};

static struct published publish(uint64_t version, const uint64_t words[PUBLISHED_WORDS][2])
{
	struct published p = {.cookie = "xdebugpy", .word = {version}};

	for (size_t i = 0; i < PUBLISHED_WORDS; i++)
		p.word[words[i][0] - 1] = words[i][1];
	return p;
}

TEST(published_layouts)
{
	struct published p = publish(0x030d00f0, words_13);
	struct sc_python_layout l = sc_python_layout("3.13.0", &p);

	assert_int_equal(l.minor, 13);
	assert_int_equal(l.thread_frame, 72);
	assert_int_equal(l.code_traceable, 184);
	assert_int_equal(l.string_other, 56);
	assert_int_equal(sc_python_layout("3.14.0", &p).minor, 0);
	p.cookie[7] = 'Y';
	assert_int_equal(sc_python_layout("3.13.0", &p).minor, 0);
}

/* Threads without a lock have code of their own, and their strings another state. */
TEST(the_layout_of_314)
{
	struct published p = publish(0x030e0af0, words_14);
	struct sc_python_layout l = sc_python_layout("3.14.10", &p);

	assert_int_equal(l.minor, 14);
	assert_int_equal(l.kind, 2);
	assert_int_equal(l.code_traceable, 192);
	assert_int_equal(l.frame_owner, 74);
	p.word[1] = 1;
	assert_int_equal(sc_python_layout("3.14.10", &p).minor, 0);
}

TEST(offsets_that_are_none)
{
	for (unsigned i = 2; i < 80; i++) {
		struct published p = publish(0x030d00f0, words_13);
		struct sc_python_layout l;
		bool is_used = p.word[i] || i == 29;

		p.word[i] = UINT64_MAX - 7;
		l = sc_python_layout("3.13.0", &p);
		assert_int_equal(l.minor, is_used ? 0 : 13);
	}
}
