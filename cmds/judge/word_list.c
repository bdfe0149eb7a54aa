/* Lists of an option's value. */
#include "cmds/judge/word_list.h"

#include <stdbool.h>
#include <string.h>

bool sc_list_next(const char **list, char *item, size_t room)
{
	size_t length, kept;

	*list += strspn(*list, ",");
	length = strcspn(*list, ",");
	kept = length < room ? length : room - 1;
	memcpy(item, *list, kept);
	item[kept] = '\0';
	*list += length;
	return length > 0;
}
