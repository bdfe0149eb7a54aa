/* Reader: hostile traces are explained or stepped over, never trusted; look-ups find what was
 * defined. */
#include "trace/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "tests/sealed.h"
#include "trace/text/text.h"

static char message[200];

/* A trace in memory, from its text form. */
static struct sc_text_script script(const char *text)
{
	struct sc_text_script s;

	if (sc_text_parse(&s, text, strlen(text), message, sizeof(message)))
		fail_msg("%s", message);
	return s;
}

static struct sc_trace_header *header_of(struct sc_text_script *s)
{
	return (struct sc_trace_header *)s->trace;
}

static struct sc_slot *slots_of(struct sc_text_script *s)
{
	return (struct sc_slot *)(s->trace + SC_TRACE_HEADER);
}

static int open_script(struct sc_reader **r, const struct sc_text_script *s)
{
	message[0] = 0;
	return sc_reader_open_memory(r, s->trace, s->bytes, message, sizeof(message));
}

static bool want_all(void *data, const struct sc_op *head, uint64_t sequence)
{
	(void)data;
	(void)sequence;
	return head->kind != SC_OP_PROCESS;
}

/* Takes a record that was read before off the front. */
static void take_read(void *data, const struct sc_record *record)
{
	const char **values = data;

	assert_int_equal(*(*values)++, '0' + record->op.value);
}

/* Looking at a record, or at all again, finds what reading found, and changes nothing. */
static void read_in_other_ways(struct sc_reader *r, uint64_t slots, const char *values)
{
	struct sc_visit visit = {.is_wanted = want_all, .take = take_read, .data = &values};
	struct sc_reader_stats stats = *sc_reader_stats(r);
	const char *all = values;
	struct sc_record record;

	sc_reader_visit(r, &visit);
	assert_int_equal(*values, 0);
	for (uint64_t i = 0; i < slots; i++)
		if (sc_reader_record(r, i, &record))
			take_read(&all, &record);
	assert_int_equal(*all, 0);
	assert_memory_equal(&stats, sc_reader_stats(r), sizeof(stats));
	assert_int_equal(sc_reader_next(r, &record), 0);
}

/* Reads all of it: the values of its ops as digits, "135". */
static struct sc_reader_stats read_values(const struct sc_text_script *s, char *values)
{
	struct sc_reader_stats stats;
	struct sc_record record;
	struct sc_reader *r;
	char *next = values;

	assert_int_equal(open_script(&r, s), 0);
	while (sc_reader_next(r, &record))
		*next++ = (char)('0' + record.op.value);
	*next = 0;
	stats = *sc_reader_stats(r);
	read_in_other_ways(r, s->bytes / SC_SLOT_SIZE, values);
	sc_reader_finish(r); /* of a file only */
	assert_memory_equal(&stats, sc_reader_stats(r), sizeof(stats));
	sc_reader_free(r);
	return stats;
}

static const char five[] = "driver 1\ndriver 2\ndriver 3\ndriver 4\ndriver 5\n";

TEST(uncommitted_records_are_stepped_over)
{
	struct sc_text_script s = script(five);
	struct sc_reader_stats stats;
	char values[16];

	slots_of(&s)[2].head = 0;
	slots_of(&s)[6].head = 0;
	slots_of(&s)[7].head = 0;
	stats = read_values(&s, values);
	assert_string_equal(values, "135");
	assert_int_equal(stats.records, 3);
	assert_int_equal(stats.uncommitted, 4);
	assert_int_equal(stats.damaged, 0);
	sc_text_script_fini(&s);
}

TEST(damage_costs_only_what_it_hit)
{
	static const uint32_t heads[] = {1,
					 SC_SLOT_FIRST,
					 SC_SLOT_FIRST | 5,
					 SC_SLOT_NEXT | 1,
					 SC_SLOT_FIRST | 0xfffff,
					 UINT32_MAX};
	char values[16];

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct sc_text_script s = script(five);
		struct sc_reader_stats stats;

		slots_of(&s)[4].head = heads[i];
		stats = read_values(&s, values);
		assert_string_equal(values, "1245");
		assert_int_equal(stats.damaged, 2);
		assert_int_equal(stats.uncommitted, 0);
		sc_text_script_fini(&s);
	}
}

TEST(ops_out_of_range_are_damage)
{
	static const struct {
		size_t offset;
		uint8_t byte;
	} cases[] = {
		{offsetof(struct sc_op, kind), SC_OP_KINDS},
		{offsetof(struct sc_op, kind), SC_OP_NONE},
		{offsetof(struct sc_op, kind) + 1, 0xff},
		{offsetof(struct sc_op, phase), SC_PHASE_END + 1},
		{offsetof(struct sc_op, dst_mem), SC_MEM_KINDS},
		{offsetof(struct sc_op, src_mem), 0xff},
		{offsetof(struct sc_op, engine), SC_ENGINES},
	};
	char values[16];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sc_text_script s = script(five);

		slots_of(&s)[8].data[cases[i].offset] = cases[i].byte;
		sealed((uint8_t *)s.trace, s.bytes);
		assert_int_equal(read_values(&s, values).damaged, 2);
		assert_string_equal(values, "1234");
		sc_text_script_fini(&s);
	}
}

/* Changes one 32-bit word of the attachments of the first record and expects it to be refused. */
static void assert_refused(const char *text, size_t word, uint32_t value)
{
	struct sc_text_script s = script(text);
	struct sc_reader_stats stats;
	char values[16];

	memcpy(slots_of(&s)[2].data + word * 4, &value, sizeof(value));
	sealed((uint8_t *)s.trace, s.bytes);
	stats = read_values(&s, values);
	assert_int_equal(stats.records, 1);
	assert_true(stats.damaged > 2);
	sc_text_script_fini(&s);
}

#define ACCESS	  "exit 0 accesses=[r 0x10:1]\ndriver 1\n"
#define LAUNCH	  "exit 0 launch=1/1 params=0011\ndriver 1\n"
#define NODE	  "exit 0 node=[0, 1]\ndriver 1\n"
#define AT_ACCESS (2 + offsetof(struct sc_access, mode) / 4)

TEST(malformed_attachments_are_damage)
{
	static const struct {
		const char *text;
		size_t word;
		uint32_t value;
	} cases[] = {
		{"string 1 hello\ndriver 1\n", 1, 100},
		{"string 1 hello\ndriver 1\n", 1, UINT32_MAX},
		{"stack 1 [1,2]\ndriver 1\n", 1, 15},
		{"exit 0 layout=[0:8]\ndriver 1\n", 1, 7},
		{ACCESS, 1, 48},
		{ACCESS, AT_ACCESS, 0},
		{ACCESS, AT_ACCESS, SC_MODES},
		{ACCESS, AT_ACCESS, SC_READ | (SC_KNOWN_PARAMETER + 1) << 8},
		{ACCESS, AT_ACCESS, SC_READ | SC_MEM_KINDS << 16},
		{ACCESS, AT_ACCESS, SC_READ | UINT32_C(0xff) << 24},
		{ACCESS, AT_ACCESS + 1, SC_SOURCE_ORDERS},
		{LAUNCH, 1, 40},
		{LAUNCH, 1, sizeof(struct sc_launch) - 4},
		{LAUNCH, 2 + 7, 1},
		{NODE, 1, sizeof(struct sc_node) - 4},
		{NODE, 1, sizeof(struct sc_node) + 4},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(cases[i].text, cases[i].word, cases[i].value);
}

static void assert_open_says(struct sc_text_script *s, size_t bytes, const char *said)
{
	struct sc_reader *r;

	message[0] = 0;
	assert_int_equal(sc_reader_open_memory(&r, s->trace, bytes, message, sizeof(message)),
			 -EINVAL);
	assert_null(r);
	assert_string_equal(message, said);
}

TEST(headers_are_judged)
{
	struct sc_text_script s = script(five);

	assert_open_says(&s, 0, "byte 0: the file is empty");
	assert_open_says(&s, 100, "byte 100: the trace ends inside its header of 4096 bytes");
	header_of(&s)->slots = UINT64_MAX;
	assert_open_says(&s, SC_TRACE_HEADER + (SC_TRACE_SLOTS_MAX + 1) * SC_SLOT_SIZE,
			 "byte 274877894656: no more can be read; record less");
	header_of(&s)->op_bytes = 128;
	assert_open_says(&s, s.bytes,
			 "byte 12: ops of 128 bytes instead of 120; use the version "
			 "that wrote the trace");
	header_of(&s)->version = 1;
	assert_open_says(&s, s.bytes,
			 "byte 8: trace format 1, this streamcheck reads format 3; "
			 "use the version that wrote it");
	s.trace[0] = 'S';
	assert_open_says(&s, s.bytes, "byte 0: this is neither a trace nor the text of one");
	sc_text_script_fini(&s);
}

TEST(slots_that_are_not_there)
{
	struct sc_text_script s = script(five);
	struct sc_reader_stats stats;
	char values[16];

	s.bytes -= 3 * SC_SLOT_SIZE + 10;
	stats = read_values(&s, values);
	assert_string_equal(values, "123");
	assert_int_equal(stats.damaged, 4);
	header_of(&s)->closed = 0;
	stats = read_values(&s, values);
	assert_int_equal(stats.damaged, 0);
	assert_int_equal(stats.uncommitted, 4);
	header_of(&s)->slots = UINT64_MAX;
	read_values(&s, values);
	assert_string_equal(values, "123");
	header_of(&s)->slots = 2;
	read_values(&s, values);
	assert_string_equal(values, "1");
	sc_text_script_fini(&s);
}

/* A seal of another format than its header's, or one that never was written. */
TEST(seals_are_judged)
{
	struct sc_text_script s = script(five);
	struct sc_trace_header *seal = (void *)(s.trace + SC_TRACE_SEAL);
	char values[16];

	seal->version++;
	seal->check = sc_slot_check_header(seal);
	assert_int_equal(read_values(&s, values).damaged, 1);
	seal->version--;
	seal->closed = 2;
	seal->check = sc_slot_check_header(seal);
	assert_int_equal(read_values(&s, values).damaged, 1);
	assert_string_equal(values, "12345");
	sc_text_script_fini(&s);
}

#define LONG_WORD \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* What is over the limit is counted, and what was there stays. */
TEST(definitions_are_limited)
{
	static const struct {
		const char *text;
		unsigned dropped;
		const char *first; /* string 1 then */
	} cases[] = {
		{"string 1 a\nstring 2 b\nstring 1 c\n", 2, "a"},
		{"string 1 " LONG_WORD LONG_WORD "\nstring 1 b\nstack 1 [1]\nmap 1 2 3 x\n", 3,
		 LONG_WORD LONG_WORD},
		{"string 1 " LONG_WORD LONG_WORD "\nstring 1 " LONG_WORD LONG_WORD "\n", 0,
		 LONG_WORD LONG_WORD},
		{"string 1 a\nmap 1 2 3 a\nmap 2 2 3 a\nmap 2 2 3 a\n", 2, "a"},
		{"stack 1 [1]\nstack 2 [1]\nstring 1 a\n", 2, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sc_text_script s = script(cases[i].text);
		struct sc_record record;
		struct sc_reader *r;

		assert_int_equal(open_script(&r, &s), 0);
		sc_reader_limit(r, 1);
		while (sc_reader_next(r, &record))
			;
		assert_int_equal(sc_reader_stats(r)->gaps[SC_GAP_definitions], cases[i].dropped);
		assert_string_equal(sc_reader_string(r, 1), cases[i].first);
		sc_reader_free(r);
		sc_text_script_fini(&s);
	}
}

#define EIGHT "0x4141414141414141"
#define SEVEN "0x4241414141414141" /* AAAAAAAB */
#define SIX   "0x4342414141414141" /* AAAAAABC */

/* Maps whose parts run together are known by one hash, and told apart. */
TEST(maps_of_one_hash)
{
	static const char *const cases[][2] = {
		{"map " EIGHT " " EIGHT " " EIGHT " A build_id=4141", "AA build_id=41"},
		{"map " EIGHT " " EIGHT " " SEVEN " A build_id=4344", "AA build_id=44"},
	};
	const struct sc_map *maps;
	char text[300];

	for (size_t i = 0; i < 2; i++) {
		struct sc_text_script s;
		struct sc_record record;
		struct sc_reader *r;

		snprintf(text, sizeof(text), "%s\nmap " EIGHT " " EIGHT " %s %s\n%s\n", cases[i][0],
			 i ? SIX : EIGHT, cases[i][1], cases[i][0]);
		s = script(text);
		assert_int_equal(open_script(&r, &s), 0);
		while (sc_reader_next(r, &record))
			;
		assert_in_range(sc_reader_maps(r, &maps), 2, 3);
		assert_int_equal(strlen(maps[1].path), 2);
		sc_reader_free(r);
		sc_text_script_fini(&s);
	}
}

TEST(misaligned_memory)
{
	struct sc_text_script s = script("string 7 \"shifted by one byte\"\n");
	char *copy = malloc(s.bytes + 1);
	struct sc_record record;
	struct sc_reader *r;

	memcpy(copy + 1, s.trace, s.bytes);
	assert_int_equal(sc_reader_open_memory(&r, copy + 1, s.bytes, NULL, 0), 0);
	assert_int_equal(sc_reader_next(r, &record), 1);
	assert_string_equal(sc_reader_string(r, 7), "shifted by one byte");
	sc_reader_free(r);
	free(copy);
	sc_text_script_fini(&s);
}

static void write_file(const char *path, const void *data, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, data, bytes), bytes);
	close(fd);
}

/* All that a trace says, as a number; false if the reader says itself that something is wrong. */
static bool read_clean(const struct sc_text_script *s, uint64_t *digest)
{
	const struct sc_reader_stats *stats;
	struct sc_record record;
	struct sc_reader *r;
	bool is_clean;

	*digest = 0;
	if (open_script(&r, s))
		return 0;
	while (sc_reader_next(r, &record)) {
		for (size_t i = 0; i < sizeof(record.op) / 8; i++)
			*digest = sc_slot_join(*digest, ((const uint64_t *)&record.op)[i]);
		for (size_t i = 0; i < record.attachment_bytes; i++)
			*digest = sc_slot_join(*digest, record.attachments[i]);
	}
	stats = sc_reader_stats(r);
	is_clean = stats->closed && !stats->damaged && !stats->uncommitted && !stats->lost &&
		   !stats->gaps[SC_GAP_given_back];
	*digest = sc_slot_join(*digest, sc_slot_check_header(sc_reader_header(r)));
	sc_reader_free(r);
	return is_clean;
}

TEST(no_flipped_bit_goes_unseen)
{
	struct sc_text_script s = script("copy s1 0x7000 <- 0x9000 64\n"
					 "t2: kernel s2 accesses=[w 0x7000:64]\n"
					 "host_read 0x7000 4 polled\n");
	uint64_t whole, digest;

	assert_true(read_clean(&s, &whole));
	for (size_t bit = 0; bit < s.bytes * 8; bit++) {
		s.trace[bit / 8] ^= 1 << bit % 8;
		if (read_clean(&s, &digest) && digest != whole)
			fail_msg("bit %zu of byte %zu", bit % 8, bit / 8);
		s.trace[bit / 8] ^= 1 << bit % 8;
	}
	sc_text_script_fini(&s);
}

/* A process that died after the check of a result, before the result: the call is pending. */
TEST(a_result_half_written_is_pending)
{
	struct sc_text_script s = script("copy s1 0x7000 <- 0x9000 64 result=pending\n");
	uint64_t check = sc_slot_patch_check(0, 0);
	struct sc_slot *last = slots_of(&s) + header_of(&s)->slots - 2;
	struct sc_reader_stats stats;
	char values[16];

	memcpy((uint8_t *)last + SC_SLOT_PATCH_CHECK, &check, sizeof(check));
	stats = read_values(&s, values);
	assert_int_equal(stats.damaged, 2);
	header_of(&s)->closed = 0;
	stats = read_values(&s, values);
	assert_int_equal(stats.damaged, 0);
	sc_text_script_fini(&s);
}

#define LONG_TEXT 400000

static struct sc_text_script long_script(void)
{
	static char text[LONG_TEXT + 100];
	size_t bytes = (size_t)sprintf(text, "exit 1 text=\"");

	memset(text + bytes, 'x', LONG_TEXT);
	strcpy(text + bytes + LONG_TEXT, "y\"\ndriver 2\n");
	return script(text);
}

/* A record of several parts, one of which is longer than the window, as one. */
TEST(a_long_record_reads_whole)
{
	char path[] = "/tmp/streamcheck-reader-XXXXXX";
	struct sc_text_script s = long_script();
	struct sc_record record;
	struct sc_reader *r;
	const char *text;
	uint32_t bytes;

	close(mkstemp(path));
	write_file(path, s.trace, s.bytes);
	assert_int_equal(sc_reader_open(&r, path, message, sizeof(message)), 0);
	assert_int_equal(sc_reader_next(r, &record), 1);
	text = sc_record_attachment(&record, SC_ATTACH_TEXT, &bytes);
	assert_int_equal(bytes, LONG_TEXT + 1);
	assert_int_equal(text[LONG_TEXT], 'y');
	assert_int_equal(sc_reader_next(r, &record), 1);
	assert_int_equal(record.op.value, 2);
	assert_int_equal(sc_reader_next(r, &record), 0);
	assert_int_equal(sc_reader_stats(r)->damaged, 0);
	sc_reader_free(r);
	unlink(path);
	sc_text_script_fini(&s);
}

TEST(a_long_record_without_a_part_is_damage)
{
	struct sc_text_script s = long_script();
	struct sc_reader_stats stats;
	char values[16];

	assert_int_equal(SC_SLOT_TYPE(slots_of(&s)[SC_RECORD_SLOTS].head), SC_SLOT_MORE);
	slots_of(&s)[SC_RECORD_SLOTS + 5].head ^= 1;
	stats = read_values(&s, values);
	assert_string_equal(values, "2");
	assert_int_equal(stats.damaged, header_of(&s)->slots - 2);
	sc_text_script_fini(&s);
}

static const char definitions[] = "string 1 cuMemcpyAsync\n"
				  "string 4294967295 last\n"
				  "stack 9 [0x10,0x20,0x30]\n"
				  "function 5 2 _Z5scalePf\n"
				  "name 6 \"copy stream\"\n"
				  "map 0x400000 4096 512 /usr/bin/app build_id=0102ff\n"
				  "map 0x500000 8192 0 -\n"
				  "string 1 again\n";

static void check_definitions(const struct sc_reader *r)
{
	const struct sc_map *maps;
	const uint64_t *frames;

	assert_string_equal(sc_reader_string(r, 1), "again");
	assert_string_equal(sc_reader_string(r, UINT32_MAX), "last");
	assert_string_equal(sc_reader_string(r, 2), "");
	assert_int_equal(sc_reader_stack(r, 9, &frames), 3);
	assert_int_equal(frames[2], 0x30);
	assert_int_equal(sc_reader_stack(r, 1, &frames), 0);
	assert_string_equal(sc_reader_function(r, 5), "_Z5scalePf");
	assert_string_equal(sc_reader_function(r, 6), "");
	assert_string_equal(sc_reader_name(r, SC_NAMES_STREAM, 6), "copy stream");
	assert_null(sc_reader_name(r, SC_NAMES_STREAM, 5));
	assert_int_equal(sc_reader_maps(r, &maps), 2);
	assert_string_equal(maps[0].path, "/usr/bin/app");
	assert_int_equal(maps[0].build_id_bytes, 3);
	assert_int_equal(maps[0].build_id[2], 0xff);
	assert_int_equal(maps[0].offset, 512);
	assert_string_equal(maps[1].path, "");
	assert_null(maps[1].build_id);
}

TEST(definitions_are_kept)
{
	struct sc_text_script s = script(definitions);
	struct sc_record record;
	struct sc_reader *r;

	assert_int_equal(open_script(&r, &s), 0);
	assert_string_equal(sc_reader_string(r, 1), "");
	sc_reader_next(r, &record);
	assert_string_equal(sc_reader_string(r, 1), "cuMemcpyAsync");
	while (sc_reader_next(r, &record))
		;
	check_definitions(r);
	sc_reader_rewind(r);
	assert_int_equal(sc_reader_stats(r)->records, 0);
	while (sc_reader_next(r, &record))
		;
	check_definitions(r);
	assert_int_equal(sc_reader_stats(r)->records, 8);
	sc_reader_free(r);
	sc_text_script_fini(&s);
}

/* More records than the window holds, some of them long: all come, in order. */
TEST(a_file_is_read_through_a_moving_window)
{
	char path[] = "/tmp/streamcheck-reader-XXXXXX";
	static char text[2 << 20];
	struct sc_text_script s;
	struct sc_record record;
	struct sc_reader *r;
	uint64_t expected = 0;
	size_t bytes = 0;

	for (int i = 0; i < 20000; i++)
		bytes += (size_t)sprintf(text + bytes, "exit %d text=\"%0*d\"\n", i, i % 89, i);
	s = script(text);
	close(mkstemp(path));
	write_file(path, s.trace, s.bytes);
	assert_int_equal(sc_reader_open(&r, path, message, sizeof(message)), 0);
	while (sc_reader_next(r, &record)) {
		uint32_t length;
		const char *attached = sc_record_attachment(&record, SC_ATTACH_TEXT, &length);

		assert_int_equal(record.op.value, expected);
		assert_int_equal(atoi(memcpy((char[100]){0}, attached, length)), expected);
		expected++;
	}
	assert_int_equal(expected, 20000);
	assert_int_equal(sc_reader_stats(r)->damaged, 0);
	sc_reader_free(r);
	unlink(path);
	sc_text_script_fini(&s);
}

/* The writer's process goes on: the file becomes shorter after it was opened. */
TEST(a_file_that_shrinks_under_the_reader)
{
	char path[] = "/tmp/streamcheck-reader-XXXXXX";
	struct sc_text_script s = script(five);
	struct sc_record record;
	struct sc_reader *r;

	close(mkstemp(path));
	write_file(path, s.trace, s.bytes);
	assert_int_equal(sc_reader_open(&r, path, message, sizeof(message)), 0);
	assert_int_equal(truncate(path, SC_TRACE_HEADER + 4 * SC_SLOT_SIZE), 0);
	assert_int_equal(sc_reader_next(r, &record), 1);
	assert_int_equal(sc_reader_next(r, &record), 1);
	assert_int_equal(sc_reader_next(r, &record), 0);
	assert_int_equal(sc_reader_next(r, &record), 0);
	assert_int_equal(sc_reader_stats(r)->damaged, 6);
	sc_reader_free(r);
	unlink(path);
	sc_text_script_fini(&s);
}

TEST(text_files_and_pipes_open_too)
{
	char path[] = "/tmp/streamcheck-reader-XXXXXX", name[32];
	struct sc_record record;
	struct sc_reader *r;
	int ends[2];

	close(mkstemp(path));
	write_file(path, five, strlen(five));
	assert_int_equal(sc_reader_open(&r, path, message, sizeof(message)), 0);
	assert_int_equal(sc_reader_next(r, &record), 1);
	sc_reader_free(r);
	unlink(path);

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], five, strlen(five)), strlen(five));
	close(ends[1]);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[0]);
	assert_int_equal(sc_reader_open(&r, name, message, sizeof(message)), 0);
	assert_int_equal(sc_reader_next(r, &record), 1);
	sc_reader_free(r);
	close(ends[0]);
}

TEST(files_that_cannot_be_opened)
{
	struct sc_reader *r;

	assert_int_equal(sc_reader_open(&r, "/nonexistent", message, sizeof(message)), -ENOENT);
	assert_string_equal(message, "cannot be opened: No such file or directory");
	assert_null(r);
	assert_int_equal(sc_reader_open(&r, "/tmp", message, sizeof(message)), -EISDIR);
	assert_null(r);
	assert_int_equal(sc_reader_open(&r, "/dev/null", message, sizeof(message)), -EINVAL);
	assert_string_equal(message, "byte 0: the file is empty");
}
