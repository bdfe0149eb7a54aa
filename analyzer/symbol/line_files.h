/* Source files that the line table of a unit names, by the table's header alone.
 *
 * The naive form is dwarf_getsrcfiles, which decodes and sorts all lines of the unit as well: 30 ms
 * for a program of templates, where the header takes 0.1 ms. DWARF 2 to 5; of a header that is not
 * understood, the files up to there. `unit.line_files` compares the two forms.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct sc_line_bytes {
	const uint8_t *at;
	size_t bytes;
};

/* The sections that hold line tables and their strings; an empty one is missing. */
struct sc_line_sections {
	struct sc_line_bytes line, line_str, str;
};

/* Receives a file; `path` is relative if nothing says below which folder it is. */
typedef void sc_line_file_fn(void *context, const char *path);

/* Finds the sections of a file that libdw has opened (and unpacked); they live as long as it. */
void sc_line_sections_find(struct sc_line_sections *out, Elf *elf);
/* Reports the files of the table at `offset`, as often as it names them. `directory` is the unit's
 * or NULL. */
void sc_line_files(const struct sc_line_sections *s, uint64_t offset, const char *directory,
		   sc_line_file_fn *file, void *context);
