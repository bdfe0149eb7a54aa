/* A file of code, mapped to be read: its sections and symbols, which are not in memory.
 *
 * Every size in the file is checked: a damaged file has no sections, or no symbols.
 */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

struct sc_elf_file {
	const uint8_t *start; /* owned mapping */
	uint64_t bytes;
};

/* False if there is no such file, or it is none of this machine's. */
bool sc_elf_file_open(struct sc_elf_file *f, const char *path);
void sc_elf_file_close(struct sc_elf_file *f);
/* The section of this name, whose bytes in the file are there; NULL: it has none. */
const Elf64_Shdr *sc_elf_file_section(const struct sc_elf_file *f, const char *name);
/* Address, as the file has it, and size of the symbol of this name; address 0: there is none. */
struct sc_elf_symbol {
	uint64_t start, bytes;
};
struct sc_elf_symbol sc_elf_file_symbol(const struct sc_elf_file *f, const char *name);
/* The name of the function that holds an address, as the file has it; borrowed, NULL: no symbol
 * says so. */
const char *sc_elf_file_function(const struct sc_elf_file *f, uint64_t address);
