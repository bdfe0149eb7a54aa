/* Drives the fuzz target without libFuzzer: mutates one kernel's text at a time for some seconds.
 *
 *	fuzz_footprint SECONDS FILE...
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEXT_MAX (256 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct corpus {
	char *text; /* owned: all files in a row */
	size_t bytes;
};

static uint64_t state = 88172645463325252U;

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 11) % below;
}

static void read_corpus(struct corpus *c, const char *path)
{
	FILE *f = fopen(path, "rb");
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0) {
		fprintf(stderr, "%s cannot be read\n", path);
		exit(2);
	}
	rewind(f);
	c->text = realloc(c->text, c->bytes + (size_t)size + 1);
	if (!c->text || fread(c->text + c->bytes, 1, (size_t)size, f) != (size_t)size)
		exit(2);
	c->bytes += (size_t)size;
	c->text[c->bytes] = 0;
	fclose(f);
}

/* A stretch of the corpus that begins with a kernel. */
static size_t pick(const struct corpus *c, char *out)
{
	size_t at = draw((uint32_t)c->bytes), bytes = 500 + draw(8000);
	const char *entry = strstr(c->text + at, ".visible .entry");

	if (entry)
		at = (size_t)(entry - c->text);
	if (bytes > c->bytes - at)
		bytes = c->bytes - at;
	memcpy(out, c->text + at, bytes);
	return bytes;
}

static void swap_words(char *text, size_t bytes)
{
	size_t a = draw((uint32_t)bytes), b = draw((uint32_t)bytes), n = 1 + draw(12);

	for (size_t i = 0; i < n && a + i < bytes && b + i < bytes; i++) {
		char c = text[a + i];

		text[a + i] = text[b + i];
		text[b + i] = c;
	}
}

static size_t mutate(char *text, size_t bytes)
{
	static const char *const words[] = {"4294967296", "-9223372036854775808",
					    "{",	  "}",
					    "[",	  "]",
					    ";",	  "%p1",
					    "@%p1 bra ",  "<4294967295>",
					    ".reg .b64 ", "0",
					    "//",	  "/*",
					    "\"",	  "%rd1",
					    "2147483647", "%r1",
					    "call "};
	const char *word;

	for (uint32_t n = draw(12); n && bytes; n--)
		switch (draw(4)) {
		case 0: text[draw((uint32_t)bytes)] = (char)draw(256); break;
		case 1: swap_words(text, bytes); break;
		case 2:
			word = words[draw(sizeof(words) / sizeof(*words))];
			if (strlen(word) < bytes)
				memcpy(text + draw((uint32_t)(bytes - strlen(word))), word,
				       strlen(word));
			break;
		default: bytes -= draw((uint32_t)(bytes / 8 + 1)); break;
		}
	return bytes;
}

int main(int argc, char **argv)
{
	struct corpus c = {0};
	char *text = malloc(TEXT_MAX), *exact;
	unsigned long runs = 0;
	time_t end;

	if (argc < 3 || !text)
		return 2;
	for (int i = 2; i < argc; i++)
		read_corpus(&c, argv[i]);
	end = time(NULL) + strtol(argv[1], NULL, 10);
	while (time(NULL) < end) {
		size_t bytes = mutate(text, pick(&c, text));

		exact = malloc(bytes + 1); /* so that a sanitizer sees the end */
		if (!exact)
			return 2;
		memcpy(exact, text, bytes);
		LLVMFuzzerTestOneInput((const uint8_t *)exact, bytes);
		free(exact);
		runs++;
	}
	printf("%lu texts\n", runs);
	free(text);
	free(c.text);
	return !runs;
}
