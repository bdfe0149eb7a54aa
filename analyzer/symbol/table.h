/* The function symbols of one ELF file, sorted, for names where there is no DWARF. */
#ifndef SC_ANALYZER_SYMBOL_TABLE_H
#define SC_ANALYZER_SYMBOL_TABLE_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

struct sc_symbol_table {
	struct sc_symbol {
		uint64_t start;
		uint64_t bytes;	  /* 0 if the file does not say */
		const char *name; /* borrowed from the Elf */
	} * symbols;		  /* owned */
	size_t count;
};

/* Reads .symtab, or .dynsym where that was stripped. Leaves the table empty if there is neither. */
void sc_symbol_table_init(struct sc_symbol_table *t, Elf *elf);
void sc_symbol_table_fini(struct sc_symbol_table *t);
/* The function that holds `address`, or NULL. */
const struct sc_symbol *sc_symbol_table_get(const struct sc_symbol_table *t, uint64_t address);
/* Its name, or NULL. */
const char *sc_symbol_table_find(const struct sc_symbol_table *t, uint64_t address);

#endif
