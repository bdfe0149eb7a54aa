/* Terminal: what a descriptor refers to, and what the user asked for. */
#include "cmds/process/terminal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/option.h"

#define WIDTH_MIN 40

static bool wants_color(void)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	return (!none || !*none) && term && strcmp(term, "dumb") != 0;
}

void sc_terminal_style(struct sc_report_style *style, int fd, unsigned color,
		       char directory[PATH_MAX])
{
	bool is_terminal = fd >= 0 && isatty(fd);
	struct winsize size;

	*style = (struct sc_report_style){.directory = getcwd(directory, PATH_MAX)};
	if (is_terminal && !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col >= WIDTH_MIN)
		style->width = size.ws_col;
	style->color = color == SC_COLOR_ALWAYS ||
		       (color == SC_COLOR_AUTO && is_terminal && wants_color());
}
