/* The side effects of system.def and libc.def as statements, for the functions that expand these
 * tables: `e` are the effects and a0 … a5 are the arguments. */
#pragma once

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
#include "interposer/libc/side_effect.h"

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

#define IN(address, bytes)		 sc_side_effect_access(e, address, bytes, false);
#define OUT(address, bytes)		 sc_side_effect_access(e, address, bytes, true);
#define STREAM_IN(address, bytes, unit)	 sc_side_effect_data(e, address, bytes, unit, false);
#define STREAM_OUT(address, bytes, unit) sc_side_effect_data(e, address, bytes, unit, true);
#define TEXT(address, bytes)		 sc_side_effect_text(e, address, bytes);
#define STRING(address)			 sc_side_effect_string(e, address, UINT64_MAX);
#define STRINGS(address)		 sc_side_effect_strings(e, address);
#define VECTOR_IN(address, count)	 sc_side_effect_vector(e, address, count, false);
#define VECTOR_OUT(address, count)	 sc_side_effect_vector(e, address, count, true);
#define MESSAGE_IN(address)		 sc_side_effect_message(e, address, false);
#define MESSAGE_OUT(address)		 sc_side_effect_message(e, address, true);
#define MESSAGES_IN(address, count)	 sc_side_effect_messages(e, address, count, false);
#define MESSAGES_OUT(address, count)	 sc_side_effect_messages(e, address, count, true);
#define OPEN(address, bytes)		 sc_side_effect_open(e, address, bytes);
#define BELONGS(address, bytes)		 sc_unprotected_mark(address, bytes);
#define OTHER(function)			 function(e, a);
/* Nobody reads an empty write, so it releases nothing. */
#define RELEASES(fd, bytes) \
	if (bytes)          \
		sc_side_effect_release(e, fd);
#define ACQUIRES(fd)	      sc_side_effect_acquire(e, fd, SC_AFTER_ACQUIRE);
#define ACQUIRES_ANY(fd)      sc_side_effect_acquire(e, fd, SC_AFTER_ACQUIRE_ANY);
#define CLOSES(fd)	      sc_side_effect_close(fd);
#define CLOSES_STREAM(stream) sc_side_effect_close_stream(stream);
#define MAKES		      sc_side_effect_make(e, SC_AFTER_MADE, 0);
#define MAKES_PAIR(address)   sc_side_effect_make(e, SC_AFTER_MADE_PAIR, address);
/* A number that is made its own duplicate stays what it is. */
#define BECOMES(from, fd)             \
	if ((int)(from) != (int)(fd)) \
		sc_side_effect_make(e, SC_AFTER_MADE, 0);
#define DATA_IN(address, bytes, unit)                 \
	sc_side_effect_device(address, bytes, false); \
	sc_side_effect_data(e, address, bytes, unit, false);
#define DATA_OUT(address, bytes, unit)               \
	sc_side_effect_device(address, bytes, true); \
	sc_side_effect_data(e, address, bytes, unit, true);
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
