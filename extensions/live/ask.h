/* Ask: what `streamcheck top` and `report` ask the follower of a run for, over a socket in the
 * folder of its traces.
 *
 * One request a message, then answers; a report's client hands over where it stands and writes, so
 * that the follower's child makes the report there. Both sides check that the other one is the same
 * user's. What arrives may be hostile: lengths and numbers are checked before use.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/option.h"

#define SC_ASK_NAME	     "ask" /* of the socket */
#define SC_ASK_PROCESSES     64	   /* of one report */
#define SC_ASK_OPTIONS_BYTES (32 << 10)
#define SC_ASK_PATIENCE_S    5 /* with a follower that is busy */
#define SC_ASK_LATE                                                                             \
	"the process that follows the traces did not answer within 5 s: it is stopped, or too " \
	"busy"

enum sc_ask_kind { SC_ASK_TOP, SC_ASK_REPORT };

struct sc_ask_request {
	char magic[8];
	uint32_t kind;
	uint32_t rows;	/* top: of the terminal, 0: all lines */
	uint32_t count; /* of processes; top asks for one */
	uint32_t options_bytes;
	int32_t processes[SC_ASK_PROCESSES];
	char options[SC_ASK_OPTIONS_BYTES]; /* report: as sc_options_print writes them */
};
#define SC_ASK_REQUEST_BYTES(r) (offsetof(struct sc_ask_request, options) + (r)->options_bytes)
#define SC_ASK_MAGIC		"SCASK001"

/* Where the client of a report stands, and its standard output and error. */
enum { SC_ASK_FOLDER, SC_ASK_OUT, SC_ASK_ERROR, SC_ASK_FDS };

enum sc_ask_state {
	SC_ASK_TAKEN,  /* it is being made */
	SC_ASK_DONE,   /* `code`: of a report its exit code; of top 1 if the process has ended, and
			* a file with the text */
	SC_ASK_UNKNOWN /* the follower does not know the process `code` yet */
};

struct sc_ask_answer {
	uint32_t state; /* enum sc_ask_state */
	int32_t code;
};

/* Sends or receives one message with up to `most` descriptors, which the receiver owns. Returns its
 * bytes, 0 at the end, or -errno. */
long sc_ask_send(int fd, const void *data, size_t bytes, const int *fds, unsigned count);
long sc_ask_receive(int fd, void *data, size_t bytes, int *fds, unsigned most, unsigned *count);
/* All that was written to a file in memory. */
bool sc_ask_read(int file, struct sc_buf *out);
/* True if the other side is a process of this user. */
bool sc_ask_is_own(int fd);
/* Binds or connects the socket in a folder, whatever the length of its path. Returns 0 or -errno.
 */
int sc_ask_bind(int fd, const char *folder);
int sc_ask_connect(int fd, const char *folder);

/* The follower of this trace; -1: none listens. */
int sc_ask_open(const char *trace);
/* Takes the lines of a process. Returns 0, or what makes the connection of no use: -EPIPE if the
 * follower is gone, -ETIMEDOUT if it does not answer, -EIO if the answer cannot be read; or -ESRCH
 * if it does not know the process yet. */
int sc_ask_top(int fd, int process, unsigned rows, struct sc_buf *text, bool *has_ended);
/* Lets the follower make the report of these processes. Returns its exit code; failure ends the
 * tool with a sentence. */
int sc_ask_report(int fd, const int *processes, size_t count, const struct sc_options *o);
