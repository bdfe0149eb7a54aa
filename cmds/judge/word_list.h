/* Lists of an option's value: ITEM,ITEM,… */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Takes the next item that is not empty off the list, cut to `room` bytes with its end. False if
 * there is none. */
bool sc_list_next(const char **list, char *item, size_t room);
