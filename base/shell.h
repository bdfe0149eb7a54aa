/* Shell: what a word must not have if the shell shall take it as it is. */
#pragma once

#define SC_SHELL_SPECIAL " \t\n'\"\\$`;&|<>()*?[]{}!#~"
