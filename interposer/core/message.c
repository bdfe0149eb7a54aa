/* One line on stderr: formatted on the stack, written at once. */
#include "interposer/core/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void sc_message(const char *format, ...)
{
	static const char prefix[] = "streamcheck: ";
	char line[768];
	size_t length = sizeof(prefix) - 1, room = sizeof(line) - sizeof(prefix);
	int saved = errno, n;
	va_list args;

	memcpy(line, prefix, length);
	va_start(args, format);
	n = vsnprintf(line + length, room, format, args);
	va_end(args);
	if (n > 0)
		length += (size_t)n < room ? (size_t)n : room - 1;
	line[length++] = '\n';
	syscall(SYS_write, STDERR_FILENO, line, length);
	errno = saved;
}
