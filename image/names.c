/* The names of kernels that only machine code says. */
#include "image/names.h"

#include <errno.h>
#include <stdlib.h>

#include "image/fatbin.h"
#include "image/parts.h"

static int read_code(const struct sim_fatbin_entry *entry, struct sim_bytes stored,
		     struct sim_image *image)
{
	struct sim_bytes plain = stored;
	uint8_t *unpacked;
	int err = sim_fatbin_unpack(entry, stored, SIM_IMAGE_MAX_BYTES, &unpacked, &plain.size);

	if (err)
		return err;
	if (unpacked)
		plain.data = unpacked;
	else
		plain = stored;
	err = plain.size ? sim_cubin_read(plain, image) : 0; /* a device link leaves empty ones */
	free(unpacked);
	return err;
}

static bool has_text(struct sim_bytes payload, int *err)
{
	struct sim_fatbin_entry entry;
	struct sim_bytes stored;
	size_t offset = 0;
	bool found = false;

	while (sim_fatbin_next(payload, &offset, &entry, &stored, err))
		found |= entry.kind == SIM_FATBIN_PTX;
	return found;
}

/* Of a kind that is not known, or if the machine code was left away, the names are not there. */
static int read_payload(struct sim_bytes payload, struct sim_image *image)
{
	struct sim_fatbin_entry entry;
	struct sim_bytes stored;
	size_t offset = 0;
	int err = 0;

	if (has_text(payload, &err))
		return err;
	while (!err && sim_fatbin_next(payload, &offset, &entry, &stored, &err))
		err = entry.kind == SIM_FATBIN_ELF ? read_code(&entry, stored, image) : -EINVAL;
	return err;
}

int sim_image_names(const void *data, size_t size, struct sim_image **image)
{
	struct sim_bytes bytes = {data, size}, payload;
	struct sim_fatbin_head head;
	int err = 0;

	*image = calloc(1, sizeof(**image));
	if (!*image)
		return -ENOMEM;
	while (!err && bytes.size) {
		if (!sim_bytes_read(bytes, 0, &head, sizeof(head)) ||
		    head.magic != SIM_FATBIN_MAGIC || head.header_bytes < sizeof(head) ||
		    !sim_bytes_part(bytes, head.header_bytes, head.payload_bytes, &payload)) {
			err = -EINVAL;
			break;
		}
		err = read_payload(payload, *image);
		bytes.size -= head.header_bytes + payload.size;
		bytes.data += head.header_bytes + payload.size;
	}
	if (err) {
		sim_image_free(*image);
		*image = NULL;
	}
	return err;
}
