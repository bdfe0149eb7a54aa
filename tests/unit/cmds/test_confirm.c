/* Confirming: notes of the device read without trust, names of a pair, what two runs differ in. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "base/buf.h"
#include "cmds/check/compare.h"
#include "cmds/check/side_name.h"
#include "cmds/check/sim_notes.h"

struct notes {
	struct sc_buf text;
};

static void add(struct notes *n, enum sc_sim_note_kind kind, const uint64_t *numbers, size_t count,
		const char *data, size_t bytes)
{
	struct sc_sim_note note = {
		.magic = SC_NOTE_MAGIC, .kind = (uint32_t)kind, .data_bytes = bytes};

	memcpy(note.number, numbers, count * sizeof(*numbers));
	sc_buf_add_bytes(&n->text, &note, sizeof(note));
	sc_buf_add_bytes(&n->text, data, bytes);
}

#define ADD(n, kind, data, bytes, ...)                \
	add(n, kind, (const uint64_t[]){__VA_ARGS__}, \
	    sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), data, bytes)

static struct sc_sim_notes view(const struct notes *n)
{
	return (struct sc_sim_notes){.data = n->text.text, .bytes = n->text.bytes, .files = 1};
}

static unsigned count_notes(const struct sc_sim_notes *n)
{
	struct sc_sim_note note;
	const char *data;
	size_t position = 0;
	unsigned count = 0;

	while (sc_sim_notes_next(n, &position, &note, &data)) {
		assert_true(data + note.data_bytes <= n->data + n->bytes);
		count++;
	}
	return count;
}

TEST(notes_end_where_they_are_broken)
{
	struct notes n = {0};
	struct sc_sim_notes all;
	uint64_t far = UINT64_MAX - 8;

	ADD(&n, SC_NOTE_MET, "name", 4, 0, 1);
	ADD(&n, SC_NOTE_AFTER, "12345678", 8, 0);
	all = view(&n);
	assert_int_equal(count_notes(&all), 2);
	for (size_t cut = 0; cut < n.text.bytes; cut++) {
		struct sc_sim_notes part = {.data = n.text.text, .bytes = cut};

		assert_int_equal(count_notes(&part), cut >= sizeof(struct sc_sim_note) + 4);
	}
	memcpy(n.text.text + sizeof(struct sc_sim_note) + 4 +
		       offsetof(struct sc_sim_note, data_bytes),
	       &far, sizeof(far));
	assert_int_equal(count_notes(&all), 1);
	n.text.text[0] ^= 1;
	assert_int_equal(count_notes(&all), 0);
	sc_buf_fini(&n.text);
}

static void write_file(const char *folder, const char *name, const struct notes *n)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(n->text.text, 1, n->text.bytes, file), n->text.bytes);
	fclose(file);
}

TEST(notes_are_taken_from_a_folder)
{
	char folder[] = "/tmp/test_confirm.XXXXXX", path[256];
	struct sc_sim_notes taken;
	struct notes n = {0};

	assert_non_null(mkdtemp(folder));
	ADD(&n, SC_NOTE_MET, "name", 4, 0, 1);
	write_file(folder, "4711", &n);
	write_file(folder, "output", &n);
	sc_sim_notes_take(&taken, folder);
	assert_int_equal(taken.files, 1);
	assert_int_equal(count_notes(&taken), 1);
	sc_sim_notes_fini(&taken);
	sc_sim_notes_take(&taken, folder);
	assert_int_equal(taken.files, 0);
	snprintf(path, sizeof(path), "%s/4712", folder);
	assert_int_equal(symlink("output", path), 0);
	sc_sim_notes_take(&taken, folder);
	assert_int_equal(taken.files, 1);
	assert_int_equal(count_notes(&taken), 0);
	snprintf(path, sizeof(path), "%s/output", folder);
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
	sc_buf_fini(&n.text);
}

static struct sc_pair_names two_kernels(void)
{
	struct sc_pair_names p = {.side = {{.stream = 5, .number = 3, .work = 1, .kernel = "f"},
					   {.stream = 7, .number = 1, .work = 1, .kernel = "g"}},
				  .base = "12",
				  .offset = 64,
				  .bytes = 16};

	return p;
}

TEST(a_pair_is_printed_in_both_orders)
{
	struct sc_pair_names p = two_kernels(), turned = sc_pair_names_turn(&p, 1);
	char text[SC_PAIR_TEXT];

	sc_pair_names_print(&p, text);
	assert_string_equal(text, "5.3,7.1,12+64+16");
	sc_pair_names_print(&turned, text);
	assert_string_equal(text, "7.1,5.3,12+64+16");
	turned = sc_pair_names_turn(&p, 0);
	turned.side[1] = (struct sc_side_name){.is_host = true};
	turned.base[0] = '\0';
	sc_pair_names_print(&turned, text);
	assert_string_equal(text, "5.3,host");
}

static bool are_met(const char *first, const char *second, uint64_t work)
{
	struct sc_pair_names p = two_kernels();
	struct notes n = {0};
	struct sc_sim_notes all;
	bool met;

	ADD(&n, SC_NOTE_MET, first, strlen(first), 0, 1);
	if (*second)
		ADD(&n, SC_NOTE_MET, second, strlen(second), 1, work);
	all = view(&n);
	met = sc_pair_names_are_met(&p, &all);
	sc_buf_fini(&n.text);
	return met;
}

TEST(another_operation_is_not_taken_for_the_one)
{
	char whole[300];

	assert_true(are_met("f", "g", 1));
	assert_false(are_met("f", "h", 1));
	assert_false(are_met("f", "g", 2));
	assert_false(are_met("f", "", 0));
	memset(whole, 'x', sizeof(whole) - 1);
	whole[sizeof(whole) - 1] = '\0';
	assert_false(are_met("f", whole, 1));
}

static struct sc_finding finding(enum sc_side_mode first, enum sc_side_mode second)
{
	return (struct sc_finding){.sides = 2, .side = {{.mode = first}, {.mode = second}}};
}

/* A run that left these bytes before and after each of the pair, and copied `copied` to the host.
 */
static struct sc_rerun_end run_of(struct notes *n, const char *bytes, const char *copied,
				  int status)
{
	*n = (struct notes){0};
	for (uint64_t which = 0; which < 2; which++) {
		ADD(n, SC_NOTE_BEFORE, bytes + 2 * which, 1, which);
		ADD(n, SC_NOTE_AFTER, bytes + 2 * which + 1, 1, which);
	}
	ADD(n, SC_NOTE_DELIVERED, copied, 1, 2, 9, 1, (uint64_t)(unsigned char)*copied);
	return (struct sc_rerun_end){.status = status, .notes = view(n)};
}

static void compare(struct sc_trial *t, enum sc_side_mode first, enum sc_side_mode second,
		    bool host_is_second, const char *first_bytes, const char *second_bytes)
{
	struct sc_finding f = finding(first, second);
	struct sc_pair_names names = two_kernels();
	struct notes n[2];
	struct sc_rerun_end ends[2] = {run_of(&n[0], first_bytes, "c", 0),
				       run_of(&n[1], second_bytes, "c", 0)};

	names.side[1].is_host = host_is_second;
	sc_compare_orders(t, &f, &names, &ends[0], &ends[1]);
	for (int i = 0; i < 2; i++)
		sc_buf_fini(&n[i].text);
}

/* Bytes of a run: before the first of the pair, after it, before the second, after it. */
TEST(each_kind_of_pair_has_its_place)
{
	struct sc_trial t;

	compare(&t, SC_SIDE_WRITE, SC_SIDE_WRITE, false, "0112", "0221");
	assert_int_equal(t.differs, 1 << SC_TRIAL_MEMORY);
	assert_int_equal(t.bytes[0][0], '2');
	assert_int_equal(t.bytes[1][0], '1');
	assert_int_equal(t.offset, 64);
	compare(&t, SC_SIDE_WRITE, SC_SIDE_WRITE, false, "0112", "0332");
	assert_int_equal(t.differs, 0);
	compare(&t, SC_SIDE_WRITE, SC_SIDE_READ, false, "0111", "0001");
	assert_int_equal(t.differs, 1 << SC_TRIAL_READ);
	assert_int_equal(t.actor, 1);
	assert_int_equal(t.bytes[0][0], '1');
	assert_int_equal(t.bytes[1][0], '0');
	compare(&t, SC_SIDE_READ, SC_SIDE_WRITE, false, "0001", "0111");
	assert_int_equal(t.actor, 0);
	assert_int_equal(t.bytes[0][0], '0');
	assert_int_equal(t.bytes[1][0], '1');
	compare(&t, SC_SIDE_WRITE, SC_SIDE_READ, true, "01..", "..01");
	assert_int_equal(t.differs, 1 << SC_TRIAL_HOST);
	assert_int_equal(t.bytes[0][0], '1');
	assert_int_equal(t.bytes[1][0], '0');
	compare(&t, SC_SIDE_WRITE, SC_SIDE_WRITE, true, "01..", "..21");
	assert_int_equal(t.differs, 1 << SC_TRIAL_MEMORY);
	assert_int_equal(t.bytes[0][0], '2');
	assert_int_equal(t.bytes[1][0], '1');
	compare(&t, SC_SIDE_READ, SC_SIDE_WRITE, true, "00..", "..22");
	assert_int_equal(t.differs, 1 << SC_TRIAL_READ);
	assert_int_equal(t.bytes[0][0], '0');
	assert_int_equal(t.bytes[1][0], '2');
}

/* Runs 0 and 2 in one order, 1 and 3 in the other. */
TEST(what_differs_anyway_is_dropped)
{
	static const char *const copied[] = {"a", "b", "c", "b"};
	struct sc_finding f = finding(SC_SIDE_WRITE, SC_SIDE_WRITE);
	struct sc_pair_names names = two_kernels();
	struct sc_rerun_end ends[4];
	struct notes n[4];
	struct sc_trial t;

	for (int i = 0; i < 4; i++)
		ends[i] = run_of(&n[i], i & 1 ? "0221" : "0112", copied[i], i & 1);
	sc_compare_orders(&t, &f, &names, &ends[0], &ends[1]);
	assert_int_equal(t.differs, 1 << SC_TRIAL_MEMORY | 1 << SC_TRIAL_COPY | 1 << SC_TRIAL_EXIT);
	assert_int_equal(t.unsteady, 0);
	sc_compare_again(&t, &f, &names, ends);
	assert_int_equal(t.differs, 1 << SC_TRIAL_MEMORY | 1 << SC_TRIAL_EXIT);
	assert_int_equal(t.unsteady, 1 << SC_TRIAL_COPY);
	for (int i = 0; i < 4; i++)
		sc_buf_fini(&n[i].text);
}

TEST(memory_that_was_not_seen_is_not_compared)
{
	struct sc_finding f = finding(SC_SIDE_WRITE, SC_SIDE_WRITE);
	struct sc_pair_names names = two_kernels();
	struct sc_rerun_end ends[2] = {{.output = (char *)"one", .output_bytes = 3},
				       {.output = (char *)"on", .output_bytes = 2}};
	struct sc_trial t;

	sc_compare_orders(&t, &f, &names, &ends[0], &ends[1]);
	assert_int_equal(t.compared & 1 << SC_TRIAL_MEMORY, 0);
	assert_int_equal(t.differs, 1 << SC_TRIAL_OUTPUT);
	assert_int_equal(t.count[0], 3);
	assert_int_equal(t.count[1], 2);
}
