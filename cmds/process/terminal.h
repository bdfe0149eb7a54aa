/* Terminal: how a report may look on a descriptor. */
#pragma once

#include <limits.h>
#include "reports/report.h"

/* Fills in a style: colour and width of the terminal at `fd` (-1 for a file), paths shown
 * relative to the working directory, whose name `directory` keeps. `color` is a value of option
 * color. */
void sc_terminal_style(struct sc_report_style *style, int fd, unsigned color,
		       char directory[PATH_MAX]);
