// What calls about time, processes, signals, contexts and waiting threads need.
#include "tests/e2e/functions/places/place.h"
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <threads.h>
#include <ucontext.h>

// Without declarations, or only with _FORTIFY_SOURCE.
extern "C" {
int __getgroups_chk(int, gid_t *, size_t);
int arch_prctl(int, unsigned long *);
int __arch_prctl(int, unsigned long *);
int __sched_getparam(pid_t, sched_param *);
int __sched_setscheduler(pid_t, int, const sched_param *);
int modify_ldt(int, void *, unsigned long);
int __getrlimit(__rlimit_resource_t, struct rlimit *);
int capget(void *, void *);
int capset(void *, void *);
int __sigsuspend(const sigset_t *);
int __sigtimedwait(const sigset_t *, siginfo_t *, const timespec *);
}

static pid_t pid;
static timer_t timer;
static int number;
static utsname host;

static timespec *put_no_time(char *at)
{
	((timespec *)at)->tv_nsec = -1;
	return (timespec *)at;
}

static char *put_version(char *at)
{
	*(unsigned *)at = 0x20080522;
	return at;
}

static char *put_host(char *at)
{
	uname(&host);
	return strcpy(at, host.nodename);
}

static char *put_domain(char *at)
{
	uname(&host);
	return strcpy(at, host.domainname);
}

static sigset_t *put_pending(char *at)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	return (sigset_t *)memcpy(at, &set, sizeof(set));
}

static bool child(void)
{
	pid_t made = fork();

	if (!made)
		_exit(3);
	return made > 0;
}

static int left(pid_t one)
{
	int status = -1;

	waitpid(one, &status, 0);
	return WEXITSTATUS(status);
}

// In a child that shares the memory: its strings must not be refused.
static int beside(void (*run)(char *), char *p)
{
	pid_t made = vfork();

	if (!made) {
		run(p);
		_exit(errno == EFAULT ? 100 : 101);
	}
	return left(made);
}

static bool alarmed(void)
{
	struct itimerval soon = {{0, 0}, {0, 1000}};
	sigset_t set;

	signal(SIGALRM, [](int) {});
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return !setitimer(ITIMER_REAL, &soon, NULL);
}

static pthread_cond_t no_signal = PTHREAD_COND_INITIALIZER;

static sem_t *no_post(void)
{
	static sem_t made;

	sem_init(&made, 0, 0);
	return &made;
}

static pthread_mutex_t *locked(void)
{
	static pthread_mutex_t made = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_trylock(&made);
	return &made;
}

static void *wait_for_ever(void *)
{
	for (;;)
		pause();
	return NULL;
}

static pthread_t thread_that_waits(void)
{
	pthread_t made;

	if (pthread_create(&made, NULL, wait_for_ever, NULL))
		exit(EXIT_WRONG);
	return made;
}

static bool came_back(ucontext_t *here)
{
	static volatile int times;

	times = 0;
	getcontext(here);
	if (!times++)
		setcontext(here);
	return times == 2;
}

static char other_stack[65536];
static ucontext_t *switched_from, *switched_to;
static volatile int switches;

static void on_other_stack(void)
{
	switches++;
	swapcontext(switched_to, switched_from);
}

static bool switched(ucontext_t *from, ucontext_t *to)
{
	switches = 0;
	switched_from = from;
	switched_to = to;
	if (getcontext(to))
		return false;
	to->uc_stack.ss_sp = other_stack;
	to->uc_stack.ss_size = sizeof(other_stack);
	makecontext(to, on_other_stack, 0);
	return !swapcontext(from, to) && switches == 1;
}

#define ROWS  "tests/e2e/functions/places/processes.def"
#define TABLE of_processes
#include "tests/e2e/functions/places/table.h"
