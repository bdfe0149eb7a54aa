/* Messages of the tool to its user. */
#include "base/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/sys.h"

#define MESSAGE_BYTES 2048

static void write_all(const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t done = sc_sys_write(STDERR_FILENO, text, bytes);

		if (done <= 0)
			return;
		text += done;
		bytes -= (size_t)done;
	}
}

static void say(const char *format, va_list arguments)
{
	char text[MESSAGE_BYTES] = "streamcheck: ";
	size_t start = strlen(text), length;

	vsnprintf(text + start, sizeof(text) - start - 1, format, arguments);
	length = strlen(text);
	text[length] = '\n';
	write_all(text, length + 1);
}

void sc_warn(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
}

void sc_die(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	exit(SC_EXIT_USAGE);
}
