/* Visible devices: CUDA_VISIBLE_DEVICES. */
#include "simulator/driver/context/visible.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define UUID_TEXT 64 /* room for GPU- and 36 letters */

CUuuid sim_visible_uuid(int number)
{
	CUuuid uuid;

	memcpy(uuid.bytes, "streamcheck-sim", sizeof(uuid.bytes));
	uuid.bytes[sizeof(uuid.bytes) - 1] = (char)number;
	return uuid;
}

static void write_uuid(char text[UUID_TEXT], int number)
{
	const CUuuid uuid = sim_visible_uuid(number);
	int used = snprintf(text, UUID_TEXT, "GPU-");

	for (size_t i = 0; i < sizeof(uuid.bytes); i++)
		used += snprintf(text + used, (size_t)(UUID_TEXT - used), "%s%02x",
				 i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
				 (unsigned char)uuid.bytes[i]);
}

/* The one device whose UUID begins so; -1: none, or several. */
static int find_uuid(const char *word, size_t bytes, int count)
{
	char text[UUID_TEXT];
	int found = -1;

	for (int i = 0; i < count; i++) {
		write_uuid(text, i);
		if (strncasecmp(text, word, bytes) != 0)
			continue;
		if (found >= 0)
			return -1;
		found = i;
	}
	return found;
}

static int find_device(const char *word, size_t bytes, int count)
{
	char *end;
	long number;

	if (!bytes)
		return -1;
	if (!strncmp(word, "GPU-", bytes < 4 ? bytes : 4))
		return find_uuid(word, bytes, count);
	number = strtol(word, &end, 10);
	return end != word + bytes || number < 0 || number >= count ? -1 : (int)number;
}

static bool is_among(const int *numbers, int count, int number)
{
	while (count--)
		if (numbers[count] == number)
			return true;
	return false;
}

int sim_visible_choose(const char *list, int count, int *numbers)
{
	int chosen = 0;

	if (!list) {
		for (; chosen < count; chosen++)
			numbers[chosen] = chosen;
		return chosen;
	}
	while (chosen < count) {
		size_t bytes = strcspn(list, ",");
		int number = find_device(list, bytes, count);

		if (number < 0 || is_among(numbers, chosen, number))
			break;
		numbers[chosen++] = number;
		if (!list[bytes])
			break;
		list += bytes + 1;
	}
	return chosen;
}
