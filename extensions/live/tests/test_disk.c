/* Disk: what a trace that is judged while it is written holds in memory does not grow with how far
 * it was written ahead; what is kept of a part given back leaves space, or nobody waits for space.
 */
#include "extensions/live/disk.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/unit.h"
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
static bool is_ended; /* the analysis, by sc_disk_finish */

static int begin(void **state)
{
	struct sc_analysis_settings settings = {
		.profile = SC_REFERENCE, .is_live = 1, .gives_back = 1};
	char message[256];

	(void)state;
	is_ended = false;
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
	if (!is_ended)
		sc_analysis_end(analysis);
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

EACH_TEST(begin, end)

TEST(far_ahead)
{
	uint64_t seen = 0;

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
	is_ended = true;
	assert_int_equal(sc_reader_stats(reader)->damaged, 0);
	sc_writer_close(&writer);
}

#define SHARE  ((uint64_t)8 << 20)
#define ROUNDS 100
#define BURST  2000 /* records, far less than the share */

static void put_string(unsigned number)
{
	static const char text[200];
	struct sc_op op = {.kind = SC_OP_STRING, .object = number + 1};
	struct sc_attachment part = {SC_ATTACH_TEXT, sizeof(text), text};

	sc_writer_put(&writer, &op, &part, 1);
}

/* A texture that comes and goes, and a message. */
static void put_objects(unsigned number)
{
	put((struct sc_op){.kind = SC_OP_TEXTURE, .value = number + 1, .dst = 4096, .bytes = 256});
	put((struct sc_op){.kind = SC_OP_TEXTURE_DESTROY, .value = number + 1});
	put((struct sc_op){.kind = SC_OP_MESSAGE, .object = 1});
	put((struct sc_op){.kind = SC_OP_MESSAGE_END, .object = 1});
}

/* Writes and looks in turns, as long as the space is given back; true if it always was. */
static bool go_on(void (*put_one)(unsigned number))
{
	sc_disk_share(&disk, SHARE, false);
	for (unsigned i = 0; i < ROUNDS * BURST && !disk.is_stopped; i++) {
		put_one(i);
		if (i % BURST)
			continue;
		for (unsigned k = 0; k < 3; k++) /* judged, taken, punched */
			sc_disk_look(&disk, (3 * (uint64_t)i / BURST + k + 1) * SECOND);
	}
	return !disk.is_stopped;
}

TEST(objects_that_are_gone_leave_space)
{
	assert_true(go_on(put_objects));
	assert_true(disk.giver.freed > 4 * SHARE);
	assert_true(disk.giver.rest.bytes < SHARE / 8);
	assert_true(sc_writer_is_followed(&writer));
	sc_writer_close(&writer);
}

/* The program is not to wait for a reader that has stopped. */
TEST(what_must_be_kept_takes_all)
{
	assert_false(go_on(put_string));
	assert_false(sc_writer_is_followed(&writer));
	sc_writer_close(&writer);
}

TEST(what_cannot_be_read)
{
	int nothing = open("/dev/null", O_RDONLY);

	sc_disk_look(&disk, SECOND);
	assert_true(sc_writer_is_followed(&writer));
	assert_int_equal(dup2(nothing, follow.fd), follow.fd);
	close(nothing);
	sc_disk_look(&disk, 2 * SECOND);
	assert_true(sc_writer_is_followed(&writer)); /* for once that may be */
	for (unsigned i = 3; i < 20; i++)
		sc_disk_look(&disk, i * SECOND);
	assert_false(sc_writer_is_followed(&writer));
	sc_writer_close(&writer);
}
