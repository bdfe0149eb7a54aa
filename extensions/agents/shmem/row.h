/* Rows of shmem.def: which parameters of a function of NVSHMEM are what. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/library/function.h"

/* What a call does. */
enum sc_shmem_way {
	SC_SHMEM_ENQUEUES,    /* work in a stream; when that is done the operands are free */
	SC_SHMEM_AWAITS,      /* work in a stream that waits for others */
	SC_SHMEM_BLOCKS,      /* when it returns the operands are free */
	SC_SHMEM_LEAVES_OPEN, /* the operands are in use until something of the next kind */
	SC_SHMEM_COMPLETES,   /* what was left open, or says that others saw it */
	SC_SHMEM_LAUNCHES,    /* a kernel of the program, which may do that */
	SC_SHMEM_GIVES,	      /* symmetric memory */
	SC_SHMEM_TAKES,	      /* it back, when all processes are there */
	SC_SHMEM_HAS_KERNELS  /* kernels of the program may do the same from here on */
};

/* Numbers are those of parameters, from 1; 0: there is none. */
struct sc_shmem_row {
	uint8_t way; /* enum sc_shmem_way */
	uint8_t parameters;
	uint8_t stream;
	uint8_t element; /* bytes */
	uint8_t team;
	uint8_t writes, writes_peer; /* here, and at the peer */
	uint8_t reads, reads_peer;
	uint8_t to_step, from_step; /* elements from one element to the next */
	uint8_t count;		    /* elements; 0: one */
	uint8_t size;		    /* of memory, bytes of an element; 0: one */
	uint8_t status, values;	    /* a list of ints, and one of elements, that are read */
	uint8_t signal;		    /* a word of 64 bits at the peer that is changed */
	uint8_t peer;
	uint8_t root;
	bool reads_each, writes_each; /* `count` elements for each process of the team */
};

struct sc_shmem_functions {
#define SHMEM(name, parameters, way, ...) struct sc_library_function name;
#include "extensions/agents/shmem/shmem.def"
};

extern struct sc_shmem_functions sc_shmem_functions;
extern const struct sc_functions sc_shmem_table;

/* The row of a function of sc_shmem_functions. */
const struct sc_shmem_row *sc_shmem_row(const struct sc_library_function *function);
