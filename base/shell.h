/* Shell: what a word must not have if the shell shall take it as it is. */
#ifndef SC_BASE_SHELL_H
#define SC_BASE_SHELL_H

#define SC_SHELL_SPECIAL " \t\n'\"\\$`;&|<>()*?[]{}!#~"

#endif
