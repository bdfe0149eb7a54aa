/* Calls of NCCL: which parameters of a function of operand.def (COLLECTIVE, GROUP) are what, and
 * what is done with a call. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "trace/message.h"

struct sc_library_function;

enum sc_nccl_way { SC_NCCL_COLLECTS, SC_NCCL_BEGIN, SC_NCCL_END, SC_NCCL_SIMULATE };

/* Numbers are those of parameters, from 1; 0: there is none. */
struct sc_nccl_row {
	size_t function; /* its offset in sc_operand_functions */
	uint8_t way;	 /* enum sc_nccl_way */
	uint8_t parameters;
	uint8_t sends, receives; /* enum sc_share */
	uint8_t send, receive, count, type, operation, root, communicator, stream;
	uint8_t meets; /* enum sc_message: how other ranks answer; 0: they do not */
};

/* The forms of COLLECTIVE. */
#define BUFFERS			 .send = 1, .receive = 2, .count = 3, .type = 4
#define BUFFER			 .count = 2, .type = 3, .root = 4
#define LAST(number)		 .communicator = (number), .stream = (number) + 1
#define MEETS(how)		 .meets = SC_MESSAGE_##how
#define SC_NCCL_REDUCTION	 BUFFERS, .operation = 5, LAST(6), MEETS(COLLECTIVE)
#define SC_NCCL_ROOTED_REDUCTION BUFFERS, .operation = 5, .root = 6, LAST(7), MEETS(COLLECTIVE)
#define SC_NCCL_EXCHANGE	 BUFFERS, LAST(5), MEETS(COLLECTIVE)
#define SC_NCCL_ROOTED		 BUFFERS, .root = 5, LAST(6), MEETS(COLLECTIVE)
#define SC_NCCL_IN_PLACE	 .send = 1, .receive = 1, BUFFER, LAST(5), MEETS(COLLECTIVE)
#define SC_NCCL_SEND		 .send = 1, BUFFER, LAST(5), MEETS(SEND)
#define SC_NCCL_RECEIVE		 .receive = 1, BUFFER, LAST(5), MEETS(RECEIVE)
#define SC_NCCL_PUT		 .send = 1, .count = 2, .type = 3, LAST(10)
#define SC_NCCL_SIGNAL		 LAST(5)
#define SC_NCCL_AWAIT		 LAST(3)

/* Calls the function for the wrapper with this frame, and notes what it does. `by`: that of struct
 * sc_followed; NULL: the function is the one that was looked up. */
int sc_nccl_call(struct sc_library_function *function, struct sc_library_function *by,
		 uint64_t *parameter, const void *frame);
