/* Collectives: what NCCL's functions read and write in the memory that they are given.
 *
 * Inside of a group nothing is enqueued before its outermost end: the operands are kept until then,
 * and said of the launches in their streams.
 */
#pragma once

#include <stddef.h>
#include "extensions/agents/operands/function.h"
#include "interposer/library/enqueues.h"

/* Whose buffer a function uses, and how much of it (operand.def). */
enum sc_share {
	SC_SHARE_NONE,
	SC_SHARE_ALL,
	SC_SHARE_ROOT,
	SC_SHARE_OTHERS,
	SC_SHARE_EACH,
	SC_SHARE_ROOT_EACH
};

struct sc_collective {
	struct sc_library_function *function;
	enum sc_share sends, receives;
	const void *send;
	void *receive;
	size_t count;
	int type, root;
	int operation;	 /* number of the reduction + 1; 0: none */
	int rank, ranks; /* of the caller */
	bool has_root;	 /* or a peer */
	uint8_t meets;	 /* enum sc_message: how other ranks answer; 0: they do not */
};

/* The bytes: two accesses at most; -1: they are not known. */
int sc_collective_bytes(const struct sc_collective *c, struct sc_access out[2]);
/* The bytes that one rank gives or gets; false if they cannot be counted. */
bool sc_collective_size(const struct sc_collective *c, uint64_t *bytes);
/* A call returned success: writes what it touched, or keeps it until its group ends. Keeps errno.
 */
void sc_collective_note(const struct sc_enqueues *e, struct sc_collective *c, void *real,
			const void *communicator, const void *stream);
/* The thread began a group, or ended one. Keep errno. */
void sc_collective_begin(void);
void sc_collective_end(const struct sc_enqueues *e, bool is_success);
