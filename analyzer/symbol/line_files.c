/* Line files: a cursor over the header of a line table; every byte of it may be hostile. */
#include "analyzer/symbol/line_files.h"

#include <dwarf.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/vector.h"

#define FORMATS_MAX 16 /* columns of a table of names */

/* What is left of the header; empty after the first thing that cannot be. */
struct cursor {
	const uint8_t *at, *end;
	unsigned offset_bytes; /* 4 or 8 */
};

/* A column of a table of names (DWARF 5). */
struct column {
	uint64_t content, form;
};

struct header {
	const struct sc_line_sections *sections;
	struct cursor rest;
	unsigned version;
	const char *unit;		 /* directory of the unit, or NULL */
	SC_VECTOR(const char *) folders; /* in the file's bytes */
	sc_line_file_fn *file;
	void *context;
};

/* ---- the file ---- */

static void take_section(struct sc_line_sections *out, const char *name, Elf_Scn *section)
{
	const struct {
		const char *name;
		struct sc_line_bytes *bytes;
	} wanted[] = {{"debug_line", &out->line},
		      {"debug_line_str", &out->line_str},
		      {"debug_str", &out->str}};
	const char *plain = name && *name == '.' ? name + 1 + (name[1] == 'z') : "";

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		Elf_Data *data = strcmp(plain, wanted[i].name) ? NULL : elf_getdata(section, NULL);

		if (data && data->d_buf)
			*wanted[i].bytes = (struct sc_line_bytes){data->d_buf, data->d_size};
	}
}

void sc_line_sections_find(struct sc_line_sections *out, Elf *elf)
{
	const char *ident = elf_getident(elf, NULL);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	*out = (struct sc_line_sections){0};
	if (!ident || ident[EI_DATA] != ELFDATA2LSB || elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS)
			take_section(out, elf_strptr(elf, names, header.sh_name), section);
}

/* ---- values ---- */

static size_t left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

static void give_up(struct cursor *c)
{
	c->at = c->end;
}

static void skip(struct cursor *c, uint64_t bytes)
{
	c->at += bytes <= left(c) ? bytes : left(c);
}

static uint64_t number(struct cursor *c, unsigned bytes)
{
	uint64_t value = 0;

	if (left(c) < bytes) {
		give_up(c);
		return 0;
	}
	memcpy(&value, c->at, bytes);
	c->at += bytes;
	return value;
}

static uint64_t uleb(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	return 0;
}

/* The text that begins in a section; NULL if it does not end there. */
static const char *text_at(const struct sc_line_bytes *section, uint64_t offset)
{
	if (offset >= section->bytes || !memchr(section->at + offset, 0, section->bytes - offset))
		return NULL;
	return (const char *)section->at + offset;
}

static const char *text(struct cursor *c)
{
	const char *found = (const char *)c->at;
	const uint8_t *end = left(c) ? memchr(c->at, 0, left(c)) : NULL;

	if (!end) {
		give_up(c);
		return NULL;
	}
	c->at = end + 1;
	return found;
}

/* ---- names ---- */

/* The folder's path into `out`, with a slash at its end; false if it is too long. */
static bool add_folder(const struct header *h, uint64_t number, char out[PATH_MAX])
{
	const char *folder = number < h->folders.count ? h->folders.items[number] : "";
	const char *unit = *folder != '/' && h->unit ? h->unit : "";
	int bytes = snprintf(out, PATH_MAX, "%s%s%s%s", unit, *unit ? "/" : "", folder,
			     *folder ? "/" : "");

	return bytes >= 0 && bytes < PATH_MAX;
}

static void report(const struct header *h, const char *name, uint64_t folder)
{
	char path[PATH_MAX];
	size_t used;

	if (!name || !*name)
		return;
	if (*name == '/') {
		h->file(h->context, name);
		return;
	}
	if (!add_folder(h, folder, path))
		return;
	used = strlen(path);
	if ((size_t)snprintf(path + used, sizeof(path) - used, "%s", name) < sizeof(path) - used)
		h->file(h->context, path);
}

/* ---- DWARF 2 to 4: lists that end by an empty name ---- */

static void read_lists(struct header *h)
{
	struct cursor *c = &h->rest;
	const char *name;

	sc_vector_push(&h->folders, ""); /* the unit's own */
	while ((name = text(c)) && *name)
		sc_vector_push(&h->folders, name);
	while ((name = text(c)) && *name) {
		uint64_t folder = uleb(c);

		uleb(c); /* time */
		uleb(c); /* bytes */
		report(h, name, folder);
	}
}

/* ---- DWARF 5: tables that say what their columns are ---- */

static unsigned read_columns(struct cursor *c, struct column columns[FORMATS_MAX])
{
	unsigned count = (unsigned)number(c, 1);

	if (count > FORMATS_MAX) {
		give_up(c);
		return 0;
	}
	for (unsigned i = 0; i < count; i++) {
		columns[i].content = uleb(c);
		columns[i].form = uleb(c);
	}
	return count;
}

/* Takes a value: a text, or else a number. */
static const char *take(struct header *h, uint64_t form, uint64_t *value)
{
	struct cursor *c = &h->rest;

	*value = 0;
	switch (form) {
	case DW_FORM_string: return text(c);
	case DW_FORM_line_strp: return text_at(&h->sections->line_str, number(c, c->offset_bytes));
	case DW_FORM_strp: return text_at(&h->sections->str, number(c, c->offset_bytes));
	case DW_FORM_udata: *value = uleb(c); break;
	case DW_FORM_data1: *value = number(c, 1); break;
	case DW_FORM_data2: *value = number(c, 2); break;
	case DW_FORM_data4: *value = number(c, 4); break;
	case DW_FORM_data8: *value = number(c, 8); break;
	case DW_FORM_data16: skip(c, 16); break;
	case DW_FORM_block: skip(c, uleb(c)); break;
	default: give_up(c); break;
	}
	return NULL;
}

static void read_table(struct header *h, bool is_of_folders)
{
	struct column columns[FORMATS_MAX];
	unsigned count = read_columns(&h->rest, columns);
	uint64_t entries = uleb(&h->rest);

	for (; count && entries && left(&h->rest); entries--) {
		const char *name = NULL;
		uint64_t folder = 0;

		for (unsigned i = 0; i < count; i++) {
			uint64_t value;
			const char *found = take(h, columns[i].form, &value);

			if (columns[i].content == DW_LNCT_path)
				name = found;
			else if (columns[i].content == DW_LNCT_directory_index)
				folder = value;
		}
		if (is_of_folders)
			sc_vector_push(&h->folders, name ? name : "");
		else
			report(h, name, folder);
	}
}

/* ---- the header ---- */

/* Goes to the names; false if the version is not known. */
static bool read_head(struct header *h)
{
	struct cursor *c = &h->rest;
	uint64_t bytes = number(c, 4);

	c->offset_bytes = bytes == UINT32_MAX ? 8 : 4;
	if (bytes == UINT32_MAX)
		bytes = number(c, 8);
	if (bytes < left(c))
		c->end = c->at + bytes;
	h->version = (unsigned)number(c, 2);
	if (h->version < 2 || h->version > 5)
		return 0;
	if (h->version == 5)
		skip(c, 2); /* bytes of an address, of a segment */
	bytes = number(c, c->offset_bytes);
	if (bytes < left(c))
		c->end = c->at + bytes;
	skip(c, h->version >= 4 ? 5 : 4); /* of an instruction, its operations, the line's steps */
	bytes = number(c, 1);		  /* standard operations, and how many operands each has */
	skip(c, bytes ? bytes - 1 : 0);
	return 1;
}

void sc_line_files(const struct sc_line_sections *s, uint64_t offset, const char *directory,
		   sc_line_file_fn *file, void *context)
{
	struct header h = {.sections = s, .unit = directory, .file = file, .context = context};

	if (offset >= s->line.bytes)
		return;
	h.rest = (struct cursor){s->line.at + offset, s->line.at + s->line.bytes, 0};
	if (read_head(&h)) {
		if (h.version < 5)
			read_lists(&h);
		else
			for (int i = 0; i < 2; i++)
				read_table(&h, !i);
	}
	sc_vector_fini(&h.folders);
}
