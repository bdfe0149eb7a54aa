/* SDT: the probes that a library publishes in notes (<sys/sdt.h>, SystemTap's documentation).
 *
 * At a probe stands an instruction `nop`; a note says where, and in which registers and memory the
 * probe's arguments are at that moment. A library that counts its listeners computes arguments only
 * while the counter (semaphore) of the probe is not 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#define SC_SDT_ARGUMENTS 4

enum sc_sdt_kind { SC_SDT_NUMBER, SC_SDT_REGISTER, SC_SDT_MEMORY };

struct sc_sdt_argument {
	uint8_t kind;	   /* enum sc_sdt_kind */
	int8_t bytes;	   /* 1, 2, 4 or 8; negative: a signed number */
	int8_t high;	   /* of a register: 1 for its second byte (%ah) */
	uint8_t gregister; /* index of gregs */
	int64_t number;	   /* or what is added to the register of memory */
};

struct sc_sdt_probe {
	uint64_t place, semaphore; /* addresses as the file has them; semaphore 0: there is none */
	unsigned count;
	struct sc_sdt_argument argument[SC_SDT_ARGUMENTS];
};

/* The next probe `provider:name` of a section of notes, from byte *at on, which moves. False: there
 * is no other one. A probe whose arguments are not understood, or which are too many, has none. */
bool sc_sdt_next(const uint8_t *notes, size_t bytes, size_t *at, const char *provider,
		 const char *name, struct sc_sdt_probe *out);
/* The arguments of a note's text; their number, or 0: not all are understood. */
unsigned sc_sdt_parse(const char *text, struct sc_sdt_argument out[SC_SDT_ARGUMENTS]);
/* An argument's value where the context is. Reads the program's memory. */
uint64_t sc_sdt_value(const struct sc_sdt_argument *a, const ucontext_t *context);
