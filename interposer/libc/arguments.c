/* Calls without a fixed number of arguments: how many of them a command takes. */
#include "interposer/libc/arguments.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static unsigned arguments_of_futex(int operation)
{
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_UNLOCK_PI:
	case FUTEX_TRYLOCK_PI: return 3;
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI: return 4;
	}
	return SC_ARGUMENTS;
}

static unsigned arguments_of_control(int command)
{
	switch (command) {
	case F_GETFD:
	case F_GETFL:
	case F_GETOWN:
	case F_GETSIG:
	case F_GETLEASE:
	case F_GETPIPE_SZ:
	case F_GET_SEALS: return 2;
	}
	return SC_ARGUMENTS;
}

static unsigned arguments_of_process(int option)
{
	switch (option) {
	case PR_SET_NAME:
	case PR_GET_NAME:
	case PR_SET_PDEATHSIG:
	case PR_GET_PDEATHSIG:
	case PR_SET_DUMPABLE:
	case PR_GET_DUMPABLE:
	case PR_SET_TIMERSLACK:
	case PR_GET_TIMERSLACK:
	case PR_SET_PTRACER: return 2;
	}
	return SC_ARGUMENTS;
}

unsigned sc_arguments_of(uint64_t number, const uint64_t *a)
{
	switch (number) {
	case SYS_futex: return arguments_of_futex((int)a[1]);
	case SYS_fcntl: return arguments_of_control((int)a[1]);
	case SYS_prctl: return arguments_of_process((int)a[0]);
	}
	return SC_ARGUMENTS;
}
