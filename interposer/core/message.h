/* One line on stderr, for the few things that the recorder must say inside the traced program. */
#ifndef SC_INTERPOSER_CORE_MESSAGE_H
#define SC_INTERPOSER_CORE_MESSAGE_H

/* Prints "streamcheck: …" by one write, without stdio and without the heap. Keeps errno. */
void sc_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
