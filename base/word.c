/* Word: distance by one row of the table of all prefixes. */
#include "base/word.h"

#include <string.h>

size_t sc_word_distance(const char *a, size_t a_bytes, const char *b)
{
	size_t row[SC_WORD_MAX + 1], b_bytes = strlen(b);

	if (a_bytes > SC_WORD_MAX || b_bytes > SC_WORD_MAX)
		return SC_WORD_MAX;
	for (size_t j = 0; j <= b_bytes; j++)
		row[j] = j;
	for (size_t i = 0; i < a_bytes; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < b_bytes; j++) {
			size_t change = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			if (row[j + 1] > row[j])
				row[j + 1] = row[j];
			row[j + 1]++;
			if (row[j + 1] > change)
				row[j + 1] = change;
		}
	}
	return row[b_bytes];
}
