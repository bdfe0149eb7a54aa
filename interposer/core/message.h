/* One line on stderr, for the few things that the recorder must say inside the traced program. */
#pragma once

/* Prints "streamcheck: …" by one write, without stdio and without the heap. Keeps errno. */
void sc_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
