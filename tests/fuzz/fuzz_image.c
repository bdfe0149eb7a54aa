/* Fuzz: bytes as a device image, cut into records as they like; its kernels answer or do not. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/kernel/code.h"
#include "image/text.h"

#define MOST_TEXT ((size_t)1 << 20)
#define KERNELS	  3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* The texts lie in memory that can be read, and are no longer than asked for. */
static void take(void *context, const char *text, size_t bytes)
{
	if (bytes > MOST_TEXT || memchr(text, 0, bytes))
		abort();
	*(size_t *)context += bytes;
}

static void choose(const uint8_t *data, size_t bytes)
{
	static const uint32_t archs[] = {0, 75, 90, UINT32_MAX};
	size_t taken = 0;
	bool is_sure;

	for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++) {
		struct sim_text_request request = {archs[i], MOST_TEXT, take, &taken};

		(void)sim_image_texts(data, bytes, &request, &is_sure);
	}
}

static void note(struct sc_code *c, struct sc_op op, uint32_t type, const void *data, size_t bytes)
{
	struct sc_attach_head head = {type, (uint32_t)bytes};
	size_t room = sizeof(head) + ((bytes + 7) & ~(size_t)7);
	uint8_t *attached = calloc(1, room);
	struct sc_record r = {
		.op = op, .attachments = attached, .attachment_bytes = (uint32_t)room};

	if (!attached)
		abort();
	memcpy(attached, &head, sizeof(head));
	if (bytes)
		memcpy(attached + sizeof(head), data, bytes);
	sc_code_note(c, &r);
	free(attached);
}

/* Two pieces; the last byte may make the records lie about their place or the whole. */
static void note_image(struct sc_code *c, const uint8_t *data, size_t bytes)
{
	uint8_t steer = bytes ? data[bytes - 1] : 0;
	size_t cut = bytes * steer / 255;
	struct sc_op op = {.kind = SC_OP_IMAGE, .object = 4, .bytes = bytes};

	if (steer % 16 == 1)
		op.bytes = UINT64_MAX;
	if (steer % 16 == 2)
		op.bytes = cut;
	note(c, op, SC_ATTACH_IMAGE, data, cut);
	op.value = steer % 16 == 3 ? UINT64_MAX : cut;
	note(c, op, SC_ATTACH_IMAGE, data + cut, bytes - cut);
}

static void ask(struct sc_code *c, uint32_t id)
{
	static const uint64_t params[] = {0x10000, 0x20000, 100, UINT64_MAX};
	struct sc_footprint_launch launch = {.grid = {3, 1, 1},
					     .block = {32, 1, 1},
					     .param_bytes = sizeof(params),
					     .params = params};
	const struct sc_code_kernel *k = sc_code_kernel(c, id);
	struct sc_footprint f;

	if (!k || !sc_code_footprint(k, &launch, &f))
		return;
	for (size_t i = 0; i < f.count; i++)
		if (f.is_exact && f.ranges[i].reason != SC_REASON_NONE)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const char *const names[KERNELS] = {"put", "get", ""};
	struct sc_record module = {.op = {.object = 3, .peer = 4}};
	struct sc_code c = {0};

	/* as what was loaded, or as one of several that may have been */
	module.op.kind = bytes % 2 ? SC_OP_MODULE_CHOICE : SC_OP_MODULE_LOAD;
	choose(data, bytes);
	note_image(&c, data, bytes);
	sc_code_note(&c, &module);
	for (uint32_t i = 0; i < KERNELS; i++) {
		struct sc_op function = {.kind = SC_OP_FUNCTION, .object = 5 + i, .peer = 3};

		note(&c, function, SC_ATTACH_TEXT, names[i], strlen(names[i]));
		ask(&c, 5 + i);
		(void)sc_code_grid(&c, 5 + i);
	}
	sc_code_fini(&c);
	return 0;
}
