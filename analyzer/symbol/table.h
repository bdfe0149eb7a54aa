/* The function symbols of one ELF file, for names where there is no DWARF.
 *
 * Naive form: all functions sorted by address and name, searched by halving. A library of PyTorch
 * has half a million, of which a report asks for a dozen: here they are only put into buckets of
 * addresses, one pass of a counting sort; a bucket is sorted when it is first asked for. Names are
 * not looked at before that, so that most of the string table is never read from the disk. Compared
 * with the naive form in tests/unit/analyzer/test_symbol_table.c.
 */
#pragma once

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

struct sc_symbol_table {
	struct sc_symbol {
		uint64_t start;
		uint64_t bytes;	  /* 0 if the file does not say */
		const char *name; /* borrowed from the Elf */
	} * symbols;		  /* owned; in the order of their buckets */
	size_t count;
	struct sc_symbol_bucket *buckets; /* owned; NULL: no symbols */
	size_t bucket_count;
	uint64_t first; /* the lowest start */
	unsigned shift; /* a bucket holds 2^shift addresses */
};

/* Reads .symtab, or .dynsym where that was stripped. Leaves the table empty if there is neither. */
void sc_symbol_table_init(struct sc_symbol_table *t, Elf *elf);
void sc_symbol_table_fini(struct sc_symbol_table *t);
/* The function that holds `address`, or NULL; of several names the last one by the alphabet. */
const struct sc_symbol *sc_symbol_table_get(const struct sc_symbol_table *t, uint64_t address);
/* Its name, or NULL. */
const char *sc_symbol_table_find(const struct sc_symbol_table *t, uint64_t address);
/* Where a function of the table ends: where the next one begins if the file does not say. */
uint64_t sc_symbol_table_end(const struct sc_symbol_table *t, const struct sc_symbol *function);
