/* The texts of images as traces keep them: LZ4 is unpacked, and the device's choice is made. */
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include <errno.h>
#include <lz4.h>

#include "image/fatbin.h"
#include "image/image.h"
#include "image/text.h"

#define MOST ((size_t)1 << 20)

/* A fatbin in the making. */
struct fatbin {
	struct sim_fatbin_head head;
	uint8_t payload[16384];
};

/* What was passed to the callback. */
struct taken {
	unsigned count;
	size_t bytes;
	char text[8192];
};

static const char ptx[] =
	".version 8.0\n.target sm_75\n.address_size 64\n"
	".visible .entry put(.param .u64 p, .param .u32 n)\n{\nret;\n}\n"
	"// the same, the same, the same, the same, the same, the same, the same\n";

static void take(void *context, const char *text, size_t bytes)
{
	struct taken *t = context;

	assert_true(bytes < sizeof(t->text));
	memcpy(t->text, text, bytes);
	t->text[bytes] = 0;
	t->bytes = bytes;
	t->count++;
}

static void start(struct fatbin *f)
{
	*f = (struct fatbin){.head = {SIM_FATBIN_MAGIC, 1, sizeof(f->head), 0}};
}

static struct sim_fatbin_entry *add(struct fatbin *f, struct sim_fatbin_entry entry,
				    const void *stored, size_t bytes)
{
	uint8_t *at = f->payload + f->head.payload_bytes;

	entry.header_bytes = sizeof(entry);
	entry.stored_bytes = (bytes + 7) & ~(size_t)7;
	assert_true(f->head.payload_bytes + sizeof(entry) + entry.stored_bytes <=
		    sizeof(f->payload));
	memcpy(at, &entry, sizeof(entry));
	if (bytes)
		memcpy(at + sizeof(entry), stored, bytes);
	f->head.payload_bytes += sizeof(entry) + entry.stored_bytes;
	return (struct sim_fatbin_entry *)at;
}

static struct sim_fatbin_entry *add_lz4(struct fatbin *f, uint32_t arch, const char *text)
{
	char packed[4096];
	int plain = (int)strlen(text);
	int bytes = LZ4_compress_default(text, packed, plain, sizeof(packed));
	struct sim_fatbin_entry entry = {.kind = SIM_FATBIN_PTX,
					 .arch = arch,
					 .flags = SIM_FATBIN_LZ4,
					 .compressed_bytes = (uint32_t)bytes,
					 .plain_bytes = (uint64_t)plain};

	assert_true(bytes > 0);
	return add(f, entry, packed, (size_t)bytes);
}

static void add_text(struct fatbin *f, uint32_t arch, const char *text)
{
	add(f, (struct sim_fatbin_entry){.kind = SIM_FATBIN_PTX, .arch = arch}, text, strlen(text));
}

/* Machine code of which the trace kept the head only. */
static void add_code(struct fatbin *f, uint32_t arch)
{
	add(f, (struct sim_fatbin_entry){.kind = SIM_FATBIN_ELF, .arch = arch}, NULL, 0);
}

static int read_for(const struct fatbin *f, uint32_t arch, struct taken *t, bool *is_sure)
{
	struct sim_text_request request = {arch, MOST, take, t};

	*t = (struct taken){0};
	return sim_image_texts(f, sizeof(f->head) + f->head.payload_bytes, &request, is_sure);
}

static void expect_text(const struct fatbin *f, uint32_t arch, const char *text, bool sure)
{
	struct taken t;
	bool is_sure;

	assert_int_equal(read_for(f, arch, &t, &is_sure), 0);
	assert_int_equal(t.count, 1);
	assert_string_equal(t.text, text);
	assert_int_equal(is_sure, sure);
}

TEST(lz4_becomes_the_text)
{
	struct fatbin f;

	start(&f);
	add_lz4(&f, 75, ptx);
	expect_text(&f, 90, ptx, true);
}

TEST(lz4_yields_kernels)
{
	struct sim_image *image;
	struct fatbin f;

	start(&f);
	add_lz4(&f, 75, ptx);
	assert_int_equal(sim_image_parse(&f, sizeof(f.head) + f.head.payload_bytes, &image), 0);
	assert_true(image->is_ptx);
	assert_int_equal(image->kernel_count, 1);
	assert_int_equal(sim_image_find_kernel(image, "put")->param_count, 2);
	sim_image_free(image);
}

static void expect_refused(const struct fatbin *f)
{
	struct taken t;
	bool is_sure;

	assert_int_equal(read_for(f, 90, &t, &is_sure), -EINVAL);
	assert_int_equal(t.count, 0);
}

TEST(broken_lz4_is_refused)
{
	struct sim_fatbin_entry *entry;
	struct fatbin f;

	start(&f);
	entry = add_lz4(&f, 75, ptx);
	entry->plain_bytes--;
	expect_refused(&f);
	entry->plain_bytes += 2;
	expect_refused(&f);
	entry->plain_bytes = 0;
	expect_refused(&f);
	entry->plain_bytes = UINT64_MAX;
	expect_refused(&f);
	entry->plain_bytes = sizeof(ptx) - 1;
	entry->compressed_bytes -= 4;
	expect_refused(&f);
	entry->compressed_bytes = UINT32_MAX;
	expect_refused(&f);
}

TEST(a_broken_entry_leaves_the_others)
{
	struct taken t;
	struct fatbin f;
	bool is_sure;

	start(&f);
	add_lz4(&f, 75, ptx)->plain_bytes++;
	add_text(&f, 75, "other");
	assert_int_equal(read_for(&f, 90, &t, &is_sure), -EINVAL);
	assert_int_equal(t.count, 1);
	assert_memory_equal(t.text, "other", 5);
}

TEST(the_newest_that_the_device_runs_is_chosen)
{
	struct fatbin f;

	start(&f);
	add_text(&f, 75, "a");
	add_text(&f, 90, "b");
	add_text(&f, 100, "c");
	expect_text(&f, 80, "a", true);
	expect_text(&f, 90, "b", true);
	expect_text(&f, 120, "c", true);
	expect_text(&f, 0, "c", false);
}

TEST(machine_code_decides_which_text_is_meant)
{
	struct fatbin f;

	start(&f);
	add_text(&f, 75, "a");
	add_text(&f, 90, "b");
	add_code(&f, 90);
	expect_text(&f, 90, "b", true);
	start(&f);
	add_text(&f, 75, "a");
	add_code(&f, 80);
	expect_text(&f, 86, "a", false);
	expect_text(&f, 90, "a", true);
}

TEST(a_device_too_old_gets_the_oldest)
{
	struct fatbin f;

	start(&f);
	add_text(&f, 103, "c");
	add_text(&f, 90, "b");
	add_text(&f, 120, "d");
	expect_text(&f, 80, "b", true);
	add_text(&f, 75, "a");
	expect_text(&f, 80, "a", true);
}
