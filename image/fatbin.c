/* Choosing and unpacking the entries of a fatbin. */
#include "image/fatbin.h"

#include <errno.h>
#include <stdlib.h>

#include "image/parts.h"

#define OUR_ARCH 90

bool sim_fatbin_next(struct sim_bytes payload, size_t *offset, struct sim_fatbin_entry *entry,
		     struct sim_bytes *stored, int *err)
{
	if (*offset >= payload.size)
		return false;
	if (!sim_bytes_read(payload, *offset, entry, sizeof(*entry)) ||
	    entry->header_bytes < sizeof(*entry) || entry->header_bytes > payload.size - *offset ||
	    !sim_bytes_part(payload, *offset + entry->header_bytes, entry->stored_bytes, stored)) {
		*err = -EINVAL;
		return false;
	}
	*offset += entry->header_bytes + stored->size;
	return true;
}

/* How well code fits the simulated device: newer is better up to its own, then nearer is. */
static int fitness(const struct sim_fatbin_entry *entry)
{
	if (entry->arch <= OUR_ARCH)
		return (int)entry->arch;
	return entry->arch < 10000 ? -(int)entry->arch : -10000;
}

/* The best architecture among the entries of one kind; false if there is none. */
static bool best_arch(struct sim_bytes payload, uint16_t kind, uint32_t *arch, int *err)
{
	struct sim_fatbin_entry entry;
	struct sim_bytes stored;
	size_t offset = 0;
	bool found = false;
	int best = 0;

	while (sim_fatbin_next(payload, &offset, &entry, &stored, err)) {
		if (entry.kind != kind || (found && fitness(&entry) <= best))
			continue;
		found = true;
		best = fitness(&entry);
		*arch = entry.arch;
	}
	return found && !*err;
}

static int read_plain(uint16_t kind, struct sim_bytes bytes, struct sim_image *image)
{
	if (kind == SIM_FATBIN_PTX)
		return sim_ptx_read(bytes, image);
	return bytes.size ? sim_cubin_read(bytes, image) : 0; /* a device link leaves empty ones */
}

int sim_fatbin_unpack(const struct sim_fatbin_entry *entry, struct sim_bytes stored, size_t most,
		      uint8_t **out, size_t *size)
{
	struct sim_bytes packed;

	*out = NULL;
	if (!(entry->flags & (SIM_FATBIN_LZ4 | SIM_FATBIN_ZSTD)))
		return 0;
	if (!sim_bytes_part(stored, 0, entry->compressed_bytes, &packed))
		return -EINVAL;
	if (entry->flags & SIM_FATBIN_LZ4)
		return sim_lz4_unpack(packed, entry->plain_bytes, most, out, size);
	return sim_zstd_unpack(packed, most, out, size);
}

static int read_entry(const struct sim_fatbin_entry *entry, struct sim_bytes stored,
		      struct sim_image *image)
{
	uint8_t *plain;
	size_t size;
	int err = sim_fatbin_unpack(entry, stored, SIM_IMAGE_MAX_BYTES, &plain, &size);

	if (err || !plain)
		return err ? err : read_plain(entry->kind, stored, image);
	err = read_plain(entry->kind, (struct sim_bytes){plain, size}, image);
	free(plain);
	return err;
}

static int read_entries(struct sim_bytes payload, uint16_t kind, uint32_t arch,
			struct sim_image *image)
{
	struct sim_fatbin_entry entry;
	struct sim_bytes stored;
	size_t offset = 0;
	int err = 0;

	while (!err && sim_fatbin_next(payload, &offset, &entry, &stored, &err))
		if (entry.kind == kind && entry.arch == arch)
			err = read_entry(&entry, stored, image);
	image->arch = arch;
	image->is_ptx = kind == SIM_FATBIN_PTX;
	return err;
}

/* Machine code if there is any, since it needs no translation; else text. */
int sim_fatbin_read(struct sim_bytes bytes, struct sim_image *image)
{
	struct sim_fatbin_head head;
	struct sim_bytes payload;
	uint32_t arch = 0;
	int err = 0;

	if (!sim_bytes_read(bytes, 0, &head, sizeof(head)) || head.magic != SIM_FATBIN_MAGIC ||
	    head.header_bytes < sizeof(head) ||
	    !sim_bytes_part(bytes, head.header_bytes, head.payload_bytes, &payload))
		return -EINVAL;
	if (best_arch(payload, SIM_FATBIN_ELF, &arch, &err))
		err = read_entries(payload, SIM_FATBIN_ELF, arch, image);
	if (err || image->kernel_count || image->global_count)
		return err;
	if (best_arch(payload, SIM_FATBIN_PTX, &arch, &err))
		err = read_entries(payload, SIM_FATBIN_PTX, arch, image);
	return err;
}
