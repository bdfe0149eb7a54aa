/* Exit codes of the command besides SC_EXIT_USAGE and option `exitcode`. */
#pragma once

enum sc_exit {
	SC_EXIT_CLEAN = 0,
	SC_EXIT_INCOMPLETE = 3, /* nothing was recorded, or something was lost */
	SC_EXIT_NOT_EXECUTABLE = 126,
	SC_EXIT_NOT_FOUND = 127,
	SC_EXIT_SIGNAL = 128 /* plus the number of the signal that ended the program */
};
