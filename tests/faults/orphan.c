/* Processes that are killed while they make others, for the tracer: what they made last goes on. */
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS	   500
#define STEPS	   50	 /* of the moment in which it is killed, */
#define STEP_NS	   20000 /* so far from each other */
#define NOT_FORKED 1

static _Noreturn void make_others(void)
{
	for (;;)
		if (!fork())
			_exit(0);
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		const struct timespec moment = {0, (long)(i % STEPS) * STEP_NS};
		pid_t maker = fork();

		if (maker < 0)
			return NOT_FORKED;
		if (!maker)
			make_others();
		nanosleep(&moment, NULL);
		kill(maker, SIGKILL);
		waitpid(maker, NULL, 0);
	}
	return 0;
}
