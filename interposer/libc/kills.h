/* Children that this process ends by a signal: the command learns of them by files in the folder of
 * traces, so that it can tell them from processes that died.
 */
#pragma once

/* Notes that the process, or with a minus its group, is sent a signal, of children of this process
 * that the signal ends. */
void sc_kills_note(int process, int number);
/* The same of the process that a descriptor stands for. */
void sc_kills_note_descriptor(int fd, int number);
