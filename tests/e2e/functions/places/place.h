// Calls with all that they point to on a page that is protected, beside an operand in flight.
//
// A row of files.def, channels.def or processes.def is
//
//	PLACE(function, what is true if it works)
//
// FILE_, ABSENT, FOLDER: paths on the page; ROOM: 2 KiB of zeros there; TIME_: a microsecond; SET:
// no signals; PARTS: a vector of one part, 8 bytes of ROOM; ARGUMENTS: of /bin/sh -c "exit 3".
// ACCEPTED(call): whatever the machine thinks of the call, it does not refuse the address.
#ifndef SC_TESTS_PLACE_H
#define SC_TESTS_PLACE_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "testcases/common.h"

struct place {
	const char *name;
	bool (*use)(char *);
};

struct places {
	const struct place *list;
	int count;
};

extern const struct places of_files, of_channels, of_processes;

// Where things are on a page, which starts at p.
#define FILE_	       (p)
#define ABSENT	       (p + 64)
#define FOLDER	       (p + 128)
#define LINK	       (p + 192)
#define TEMPLATE       (p + 256)
#define COMMAND	       (p + 320)
#define ATTRIBUTE      (p + 384)
#define SHELL	       (p + 448)
#define TIME_	       ((timespec *)(p + 512))
#define SET	       ((sigset_t *)(p + 544))
#define PARTS	       ((iovec *)(p + 688))
#define ARGUMENTS      ((char **)(p + 720))
#define ROOM	       (p + 1024)
#define ACCEPTED(call) (errno = 0, (call), errno != EFAULT)

// A file of two pages, and that file open.
extern char path[];
int open_file(void);

// An end of a new pipe, with 8 bytes in it.
int pipe_end(int end);

static inline sigevent *put_no_event(char *at)
{
	((sigevent *)at)->sigev_notify = SIGEV_NONE;
	return (sigevent *)at;
}

// Objects that outlive a process unless they are removed.
void remove_queues(void);

#endif
