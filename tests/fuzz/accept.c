/* Gives every text trace below a folder to a fuzz target: what other tests rely on must pass.
 *
 *	accept_NAME text|trace DIRECTORY
 *
 * The target of texts gets the text, all others the binary trace that it describes. A target that
 * does not accept its input aborts; the name of that file is the last one printed.
 */
#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "trace/text/text.h"

#define SUFFIX	   ".sct.txt"
#define TEXT_BYTES (1u << 20)
#define FOLDERS	   16 /* that nftw may hold open */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static bool wants_text;
static unsigned count;

static void die(const char *path, const char *why)
{
	fprintf(stderr, "accept: %s: %s\n", path, why);
	exit(1);
}

static size_t read_text(const char *path, char *text)
{
	FILE *file = fopen(path, "r");
	size_t bytes;

	if (!file)
		die(path, "cannot be opened");
	bytes = fread(text, 1, TEXT_BYTES, file);
	fclose(file);
	if (!bytes || bytes == TEXT_BYTES)
		die(path, "is empty, or too large");
	return bytes;
}

/* A copy of exactly these bytes, so that a sanitizer sees one byte too far. */
static void give(const void *data, size_t bytes)
{
	uint8_t *exact = malloc(bytes);

	if (!exact)
		die("", "out of memory");
	memcpy(exact, data, bytes);
	LLVMFuzzerTestOneInput(exact, bytes);
	free(exact);
}

static void give_trace(const char *path, const char *text, size_t bytes)
{
	struct sc_text_script script;
	char message[160];

	if (sc_text_parse(&script, text, bytes, message, sizeof(message)))
		die(path, message);
	give(script.trace, script.bytes);
	sc_text_script_fini(&script);
}

static int visit(const char *path, const struct stat *status, int type, struct FTW *where)
{
	static char text[TEXT_BYTES];
	size_t length = strlen(path), bytes;

	(void)status;
	(void)where;
	if (type != FTW_F || length < sizeof(SUFFIX) ||
	    strcmp(path + length - strlen(SUFFIX), SUFFIX) != 0)
		return 0;
	printf("%s\n", path);
	fflush(stdout);
	bytes = read_text(path, text);
	if (wants_text)
		give(text, bytes);
	else
		give_trace(path, text, bytes);
	count++;
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: %s text|trace DIRECTORY\n", argv[0]);
		return 2;
	}
	wants_text = !strcmp(argv[1], "text");
	if (nftw(argv[2], visit, FOLDERS, FTW_PHYS) || !count)
		die(argv[2], "has no text traces");
	printf("%u traces\n", count);
	return 0;
}
