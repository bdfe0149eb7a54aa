/* The PTX texts of an image: choosing among the entries of fatbins, and unpacking them. */
#include "image/text.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image/cubin.h"
#include "image/fatbin.h"
#include "image/parts.h"

/* What a fatbin offers to the device. */
struct offer {
	uint32_t text;		   /* best architecture of a text, 0: none */
	uint32_t code;		   /* of machine code that the device runs, 0: none */
	bool has_same, has_others; /* a text of the code's architecture; texts of several */
};

/* Machine code runs on its own major version, from its minor version on. */
static bool runs(uint32_t arch, uint32_t device)
{
	return arch / 10 == device / 10 && arch <= device;
}

/* The newest text that the device runs, else the oldest of the newer ones. */
static bool is_better(uint32_t arch, uint32_t than, uint32_t device)
{
	bool runs_this = !device || arch <= device, runs_that = !device || than <= device;

	if (!than || runs_this != runs_that)
		return !than || runs_this;
	return runs_this ? arch > than : arch < than;
}

static void weigh_text(struct offer *o, uint32_t arch, uint32_t device)
{
	o->has_others |= o->text && o->text != arch;
	if (is_better(arch, o->text, device))
		o->text = arch;
}

static int weigh(struct sim_bytes payload, uint32_t device, struct offer *o)
{
	struct sim_fatbin_entry entry;
	struct sim_bytes stored;
	size_t offset = 0;
	int err = 0;

	while (sim_fatbin_next(payload, &offset, &entry, &stored, &err)) {
		if (entry.kind == SIM_FATBIN_PTX)
			weigh_text(o, entry.arch, device);
		else if (entry.kind == SIM_FATBIN_ELF && (!device || runs(entry.arch, device)))
			o->code = entry.arch > o->code ? entry.arch : o->code;
	}
	offset = 0;
	while (!err && sim_fatbin_next(payload, &offset, &entry, &stored, &err))
		o->has_same |= entry.kind == SIM_FATBIN_PTX && entry.arch == o->code;
	if (o->has_same)
		o->text = o->code;
	return err;
}

static void hand_out(const struct sim_text_request *r, const void *text, size_t bytes)
{
	r->take(r->context, text, strnlen(text, bytes));
}

static int take_entry(const struct sim_fatbin_entry *entry, struct sim_bytes stored,
		      const struct sim_text_request *r)
{
	uint8_t *plain;
	size_t size;
	int err = sim_fatbin_unpack(entry, stored, r->most_bytes, &plain, &size);

	if (err)
		return err;
	if (plain)
		hand_out(r, plain, size);
	else
		hand_out(r, stored.data, stored.size);
	free(plain);
	return 0;
}

static int take_payload(struct sim_bytes payload, const struct sim_text_request *r, bool *is_sure)
{
	struct sim_fatbin_entry entry;
	struct sim_bytes stored;
	struct offer o = {0};
	size_t offset = 0;
	int err = weigh(payload, r->arch, &o), last = 0;

	if (err || !o.text)
		return err;
	if ((o.code && o.code != o.text) || (!r->arch && o.has_others))
		*is_sure = false;
	while (sim_fatbin_next(payload, &offset, &entry, &stored, &err)) {
		if (entry.kind != SIM_FATBIN_PTX || entry.arch != o.text)
			continue;
		err = take_entry(&entry, stored, r);
		last = err && last != -ENOMEM ? err : last;
		err = 0;
	}
	return err ? err : last;
}

static int take_fatbins(struct sim_bytes bytes, const struct sim_text_request *r, bool *is_sure)
{
	struct sim_fatbin_head head;
	struct sim_bytes payload;
	int err, last = 0;

	while (bytes.size) {
		if (!sim_bytes_read(bytes, 0, &head, sizeof(head)) ||
		    head.magic != SIM_FATBIN_MAGIC || head.header_bytes < sizeof(head) ||
		    !sim_bytes_part(bytes, head.header_bytes, head.payload_bytes, &payload))
			return -EINVAL;
		err = take_payload(payload, r, is_sure);
		last = err && last != -ENOMEM ? err : last;
		bytes.size -= head.header_bytes + payload.size;
		bytes.data += head.header_bytes + payload.size;
	}
	return last;
}

/* The section by its number, and whether it is a text. */
static bool is_text(struct sim_bytes file, const Elf64_Ehdr *head, uint16_t number,
		    struct sim_bytes names, Elf64_Shdr *section)
{
	char name[sizeof(SIM_CUBIN_TEXT)];

	return sim_bytes_read(file, head->e_shoff + (uint64_t)number * sizeof(*section), section,
			      sizeof(*section)) &&
	       sim_bytes_read(names, section->sh_name, name, sizeof(name)) &&
	       !memcmp(name, SIM_CUBIN_TEXT, sizeof(name));
}

/* The texts of a file that was linked here; false if it has none. */
static bool take_sections(struct sim_bytes file, const struct sim_text_request *r)
{
	struct sim_bytes names, text;
	uint64_t left = file.size; /* sections of a hostile file may overlap */
	Elf64_Shdr section;
	Elf64_Ehdr head;
	bool found = false;

	if (!sim_bytes_read(file, 0, &head, sizeof(head)) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_shoff > file.size ||
	    !sim_bytes_read(file, head.e_shoff + (uint64_t)head.e_shstrndx * sizeof(section),
			    &section, sizeof(section)) ||
	    !sim_bytes_part(file, section.sh_offset, section.sh_size, &names))
		return false;
	for (uint16_t i = 0; i < head.e_shnum; i++) {
		if (!is_text(file, &head, i, names, &section) || section.sh_size > r->most_bytes ||
		    section.sh_size > left ||
		    !sim_bytes_part(file, section.sh_offset, section.sh_size, &text))
			continue;
		hand_out(r, text.data, text.size);
		left -= text.size;
		found = true;
	}
	return found;
}

int sim_image_texts(const void *data, size_t size, const struct sim_text_request *request,
		    bool *is_sure)
{
	struct sim_bytes bytes = {data, size};
	uint32_t magic = 0;

	*is_sure = true;
	if (!sim_bytes_read(bytes, 0, &magic, sizeof(magic)))
		return -EINVAL;
	if (magic == SIM_FATBIN_MAGIC)
		return take_fatbins(bytes, request, is_sure);
	if (take_sections(bytes, request) || memcmp(&magic, ELFMAG, SELFMAG) == 0)
		return 0;
	if (size > request->most_bytes)
		return -EINVAL;
	hand_out(request, data, size);
	return 0;
}
