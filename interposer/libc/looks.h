/* The looks of system.def and libc.def as statements, for the functions that expand these tables:
 * `l` is the look and a0 … a5 are the arguments. */
#ifndef SC_INTERPOSER_LIBC_LOOKS_H
#define SC_INTERPOSER_LIBC_LOOKS_H

#include <limits.h>
#include <linux/aio_abi.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <ucontext.h>
#include "interposer/guard/unprotected.h"
#include "interposer/libc/look.h"

/* Sizes that no header has, or that differ between the kernel's and libc's idea. */
#define TIME	      sizeof(struct timespec)
#define MASK	      8	  /* the kernel's set of signals */
#define KERNEL_ACTION 32  /* its struct sigaction */
#define ADDRESS	      128 /* struct sockaddr_storage */
#define LENGTH	      sizeof(socklen_t)
#define CAPABILITIES  24    /* three words, twice */
#define SEMAPHORES    65536 /* values of all semaphores of a set */
#define STATX	      256
#define FUTEX_WAITER  24
#define UNKNOWN_BYTES 4096 /* a struct that depends on the command: none is larger */

#define IN(address, bytes)		 sc_look_touched(l, address, bytes, false);
#define OUT(address, bytes)		 sc_look_touched(l, address, bytes, true);
#define STREAM_IN(address, bytes, unit)	 sc_look_data(l, address, bytes, unit, false);
#define STREAM_OUT(address, bytes, unit) sc_look_data(l, address, bytes, unit, true);
#define TEXT(address, bytes)		 sc_look_text(l, address, bytes);
#define STRING(address)			 sc_look_string(l, address, UINT64_MAX);
#define STRINGS(address)		 sc_look_strings(l, address);
#define VECTOR_IN(address, count)	 sc_look_vector(l, address, count, false);
#define VECTOR_OUT(address, count)	 sc_look_vector(l, address, count, true);
#define MESSAGE_IN(address)		 sc_look_message(l, address, false);
#define MESSAGE_OUT(address)		 sc_look_message(l, address, true);
#define MESSAGES_IN(address, count)	 sc_look_messages(l, address, (uint32_t)(count), false);
#define MESSAGES_OUT(address, count)	 sc_look_messages(l, address, (uint32_t)(count), true);
#define OPEN(address, bytes)		 sc_look_open(l, address, bytes);
#define BELONGS(address, bytes)		 sc_unprotected_mark(address, bytes);
#define OTHER(function)			 function(l, a);
/* Nobody reads an empty write, so it releases nothing. */
#define TELLS(fd, bytes) \
	if (bytes)       \
		sc_look_tells(l, fd);
#define HEARS(fd)	      sc_look_hears(l, fd, SC_THEN_HEAR);
#define HEARS_ANY(fd)	      sc_look_hears(l, fd, SC_THEN_HEAR_ANY);
#define CLOSES(fd)	      sc_look_closes(fd);
#define CLOSES_STREAM(stream) sc_look_closes_stream(stream);
#define MAKES		      sc_look_makes(l, SC_THEN_MADE, 0);
#define MAKES_PAIR(address)   sc_look_makes(l, SC_THEN_MADE_PAIR, address);
/* A number that is made its own duplicate stays what it is. */
#define BECOMES(from, fd)             \
	if ((int)(from) != (int)(fd)) \
		sc_look_makes(l, SC_THEN_MADE, 0);
#define DATA_IN(address, bytes, unit)          \
	sc_look_device(address, bytes, false); \
	sc_look_data(l, address, bytes, unit, false);
#define DATA_OUT(address, bytes, unit)        \
	sc_look_device(address, bytes, true); \
	sc_look_data(l, address, bytes, unit, true);
/* With MSG_TRUNC the result may count what was thrown away. */
#define RECEIVED(address, bytes, flags)     \
	if ((int)(flags)&MSG_TRUNC) {       \
		OPEN(address, bytes)        \
	} else {                            \
		DATA_OUT(address, bytes, 1) \
	}
#define SETS(count, x, y, z)                      \
	OUT(x, ((uint32_t)(count) + 63) / 64 * 8) \
	OUT(y, ((uint32_t)(count) + 63) / 64 * 8) \
	OUT(z, ((uint32_t)(count) + 63) / 64 * 8)
#define EVENTS(address, most)                                              \
	STREAM_OUT(address, (uint32_t)(most) * sizeof(struct epoll_event), \
		   sizeof(struct epoll_event))

#endif
