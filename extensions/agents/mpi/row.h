/* Rows of mpi.def: which parameters of a function of MPI are what. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/library/function.h"
#include "trace/attach.h"
#include "trace/message.h"

/* What a call does with operations. Those after PREPARES get requests. */
enum sc_mpi_way {
	SC_MPI_BLOCKS,	 /* begins one, and returns when it is complete */
	SC_MPI_BEGINS,	 /* begins one, and returns a request */
	SC_MPI_PREPARES, /* returns a request that can be started */
	SC_MPI_STARTS,
	SC_MPI_STARTS_ALL, /* `number` requests */
	SC_MPI_WAITS,
	SC_MPI_WAITS_ALL,
	SC_MPI_WAITS_ANY,  /* *index says which; none: MPI_UNDEFINED */
	SC_MPI_WAITS_SOME, /* *flag says how many, index[] which */
	SC_MPI_TESTS,	   /* *flag says whether */
	SC_MPI_TESTS_ALL,
	SC_MPI_TESTS_ANY,
	SC_MPI_ASKS,	    /* the same of a request that is passed by value, and stays */
	SC_MPI_PUTS,	    /* begins one of `window` */
	SC_MPI_SETTLES,	    /* those of `window` are complete */
	SC_MPI_SETTLES_ONE, /* those with rank `index` */
	SC_MPI_FENCES,	 /* all of `window`, and others may use its memory; `index`: assertions */
	SC_MPI_UNFENCES, /* an epoch of `window` that is none between fences */
	SC_MPI_EXPOSES,	 /* other ranks may use the memory of `window` */
	SC_MPI_CONCEALS, /* they do not any more; if there is a flag, only if *flag is set */
	SC_MPI_CLOSES,	 /* frees the window at `request` */
	SC_MPI_ATTACHES, /* gives MPI `number` bytes at `index` for messages of its own */
	SC_MPI_DETACHES, /* and takes them back */
	SC_MPI_DIVIDES,	 /* returns a request of `number` partitions */
	SC_MPI_READIES,	 /* partition `index` may be sent */
	SC_MPI_READIES_RANGE, /* those from `index` to the next parameter */
	SC_MPI_READIES_LIST,  /* `number` of them, index[] says which */
	SC_MPI_ARRIVES,	      /* *flag says whether partition `index` has arrived */
	SC_MPI_GOES_ON,	      /* nothing; others' operations go on meanwhile */
	SC_MPI_MAKES,	      /* a communicator of another one, at `request` */
	SC_MPI_MAKES_WINDOW,
	SC_MPI_FREES,	 /* the communicator at `request` */
	SC_MPI_CANCELS,	 /* the request */
	SC_MPI_GIVES_UP, /* frees the request */
	SC_MPI_LEAVES	 /* all are over */
};

/* How much of a buffer is used, in elements of its type. */
enum sc_mpi_shape {
	SC_MPI_NONE,
	SC_MPI_ELEMENT, /* one */
	SC_MPI_ONE,	/* count */
	SC_MPI_EACH,	/* count for each rank, one after the other */
	SC_MPI_SUM,	/* count[0] + count[1] + … */
	SC_MPI_OWN,	/* count[rank of the caller] */
	SC_MPI_PLACED,	/* count[i] at place[i] */
	SC_MPI_TYPED	/* count[i] of type[i] at byte place[i] */
};

enum sc_mpi_who { SC_MPI_EVERYONE, SC_MPI_ROOT, SC_MPI_OTHERS };

/* A buffer; the numbers are those of parameters. */
struct sc_mpi_use {
	uint8_t mode;  /* enum sc_mode */
	uint8_t shape; /* enum sc_mpi_shape */
	uint8_t who;   /* enum sc_mpi_who uses it */
	uint8_t at, count, type, place;
	uint8_t peer; /* + 1, of the rank on the other side; 0: none */
};

enum { SC_MPI_SENT, SC_MPI_RECEIVED, SC_MPI_USES };

/* What a call that has no buffer does with a message. */
enum sc_mpi_taking { SC_MPI_NOTHING, SC_MPI_LOOKS, SC_MPI_LOOKS_IF, SC_MPI_TAKES, SC_MPI_TAKES_IF };

/* The tag of a message is the parameter after the rank on the other side, and the communicator is
 * the one after the last tag. */
struct sc_mpi_row {
	uint8_t way; /* enum sc_mpi_way */
	uint8_t parameters;
	bool has_neighbours; /* the other ranks are those of the communicator's topology */
	bool is_wide;	     /* counts have 64 bits, not 32 */
	uint8_t request;     /* pointer to one, or to many, or a request itself */
	uint8_t number;	     /* of requests */
	uint8_t flag, index;
	uint8_t group; /* + 1, of the communicator of a collective; 0: it is none */
	uint8_t root;
	uint8_t flow; /* enum sc_message_flow of a collective */
	uint8_t window;
	uint8_t status;	     /* + 1; 0: there is none */
	uint8_t operation;   /* of a reduction; 0: it is none */
	uint8_t epoch;	     /* enum sc_message of a window; 0: none begins or ends */
	uint8_t takes;	     /* enum sc_mpi_taking; with a flag, where that is true */
	bool polls;	     /* returns whatever is complete */
	bool is_synchronous; /* what is sent is complete once its receive has begun */
	uint8_t members;     /* + 1, of the group of ranks that an epoch is for; 0: not one */
	struct sc_mpi_use use[SC_MPI_USES];
};

struct sc_mpi_functions {
#define MPI_CALL(name, parameters, way, ...) struct sc_library_function name;
#include "extensions/agents/mpi/mpi.def"
};

/* MPI_NAME, and the same functions as PMPI_NAME. */
extern struct sc_mpi_functions sc_mpi_functions, sc_pmpi_functions;
extern const struct sc_functions sc_mpi_table, sc_pmpi_table;

/* The row of a function of sc_mpi_functions. */
const struct sc_mpi_row *sc_mpi_row(const struct sc_library_function *function);
