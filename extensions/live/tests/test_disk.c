/* Disk: what a trace that is judged while it is written holds in memory does not grow with how far
 * it was written ahead.
 */
#include "extensions/live/disk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "trace/remains.h"
#include "trace/slot.h"
#include "trace/writer.h"

#define BOUND	 ((uint64_t)1 << 30)
#define SECOND	 UINT64_C(1000000000)
#define LAUNCHES 600000 /* written before the first look */
#define HELD	 300000 /* room for those that are held, and as many that are over */

static struct sc_writer writer;
static struct sc_follow follow;
static struct sc_reader *reader;
static struct sc_analysis *analysis;
static struct sc_disk disk;
static char path[64];

static int begin(void **state)
{
	struct sc_analysis_settings settings = {
		.profile = SC_REFERENCE, .is_live = 1, .gives_back = 1};
	char message[256];

	(void)state;
	snprintf(path, sizeof(path), "/tmp/test_disk.%d.sct", getpid());
	unlink(path);
	if (sc_writer_open(&writer, path, BOUND) || sc_follow_open(&follow, path) ||
	    sc_reader_open(&reader, path, message, sizeof(message)))
		return -1;
	analysis = sc_analysis_begin(reader, &settings);
	return sc_disk_open(&disk, path, BOUND, &follow, reader, analysis);
}

static int end(void **state)
{
	(void)state;
	sc_disk_close(&disk);
	sc_analysis_free(analysis);
	sc_reader_free(reader);
	sc_follow_close(&follow);
	unlink(path);
	strcat(path, SC_REMAINS_ENDING);
	unlink(path);
	return 0;
}

static uint64_t put(struct sc_op op)
{
	return sc_writer_put(&writer, &op, NULL, 0);
}

/* Launches whose bytes come later, and have not come. */
static void write_launches(void)
{
	put((struct sc_op){.kind = SC_OP_DRIVER, .value = 13000});
	put((struct sc_op){.kind = SC_OP_CONTEXT_CREATE});
	put((struct sc_op){.kind = SC_OP_STREAM_CREATE, .stream = 1});
	put((struct sc_op){.kind = SC_OP_LAUNCH_BYTES});
	for (unsigned i = 0; i < LAUNCHES; i++)
		put((struct sc_op){.kind = SC_OP_KERNEL, .stream = 1});
}

static void test_far_ahead(void **state)
{
	uint64_t seen = 0;

	(void)state;
	write_launches();
	for (unsigned i = 1; i < 100 && follow.settled < writer.head->slots; i++) {
		bool is_more = sc_disk_look(&disk, i * SECOND);

		assert_true(follow.settled > seen);
		assert_true(is_more || follow.settled == writer.head->slots);
		seen = follow.settled;
	}
	assert_int_equal(follow.settled, writer.head->slots);
	assert_true(disk.holds.room < HELD);
	assert_true(disk.judged > 0 && disk.judged < follow.settled);
	sc_disk_finish(&disk);
	assert_int_equal(sc_reader_stats(reader)->damaged, 0);
	sc_writer_close(&writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_far_ahead, begin, end),
	};

	return cmocka_run_group_tests_name("disk", tests, NULL, NULL);
}
