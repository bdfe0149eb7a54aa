/* Leaving: however the process ends, its trace is closed and, unless a parent does it, analyzed. */
#ifndef SC_INTERPOSER_LEAVE_H
#define SC_INTERPOSER_LEAVE_H

/* The process ends with `status`: closes, reports, and returns the status to end with. */
int sc_leave(int status);
/* It is about to die by a signal; async-signal-safe. */
void sc_leave_crash(int number);
/* It becomes another program. */
void sc_leave_exec(void);

#endif
