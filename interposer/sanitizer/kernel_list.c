/* The kernels to which recording is restricted: sorted names. */
#include "interposer/sanitizer/kernel_list.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "interposer/core/arena.h"
#include "interposer/core/raw.h"
#include "base/sys.h"

/* Of the longest name of a section that is looked for. */
#define SECTION_BYTES 4096
#define LIST_BYTES    (1u << 20)

static void insert(struct sc_kernel_list *list, const char *name)
{
	size_t at = list->count++;

	for (; at && strcmp(list->names[at - 1], name) > 0; at--)
		list->names[at] = list->names[at - 1];
	list->names[at] = name;
}

void sc_kernel_list_read(struct sc_kernel_list *list, char *text, const char **room)
{
	char *end;

	*list = (struct sc_kernel_list){.names = room, .is_restricted = true};
	for (; *text; text = end) {
		end = strchrnul(text, '\n');
		if (*end)
			*end++ = '\0';
		if (*text && *text != '#')
			insert(list, text);
	}
}

/* The text of a file, with a zero after it, or NULL. */
static char *read_file(const char *path, size_t *lines)
{
	int fd = sc_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	struct stat info;
	char *text = NULL;
	ssize_t n = -1;

	if (fd >= 0 && !sc_sys_fstat(fd, &info) && info.st_size < (off_t)LIST_BYTES)
		text = sc_arena_map(LIST_BYTES, MAP_PRIVATE);
	if (text)
		n = sc_sys_read(fd, text, LIST_BYTES - 1);
	if (fd >= 0)
		sc_sys_close(fd);
	*lines = 1;
	for (ssize_t i = 0; i < n; i++)
		*lines += text[i] == '\n';
	return n < 0 ? NULL : text;
}

bool sc_kernel_list_open(struct sc_kernel_list *list, const char *path)
{
	size_t lines;
	char *text = read_file(path, &lines);
	const char **room = text ? sc_arena_map(lines * sizeof(*room), MAP_PRIVATE) : NULL;

	if (!room)
		return false;
	sc_kernel_list_read(list, text, room);
	return true;
}

bool sc_kernel_list_has(const struct sc_kernel_list *list, const char *name)
{
	size_t low = 0, high = list->count;

	if (!list->is_restricted)
		return true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(list->names[middle], name);

		if (!order)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

bool sc_kernel_list_meets(const struct sc_kernel_list *list, const char *cubin, size_t bytes)
{
	char section[SECTION_BYTES];

	if (!list->is_restricted || !cubin)
		return true;
	for (size_t i = 0; i < list->count; i++) {
		int n = snprintf(section, sizeof(section), ".text.%s", list->names[i]);

		if (n >= (int)sizeof(section) || memmem(cubin, bytes, section, (size_t)n + 1))
			return true;
	}
	return false;
}
