/* Reading PTX text: entries with their parameters, and module variables. */
#include "image/parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/*
 * Only declarations matter, so the reader is a tokenizer that looks for `.entry`, `.global` and
 * `.const` at the outermost level and skips everything in braces.
 */
struct text {
	const char *at;
	const char *end;
	int depth; /* of braces */
};

struct token {
	const char *start;
	size_t length; /* 0 at the end of the text */
};

static const char punctuation[] = "(){}[],;=";

static bool skip_comment(struct text *text)
{
	if (text->end - text->at < 2 || text->at[0] != '/' ||
	    (text->at[1] != '/' && text->at[1] != '*'))
		return false;
	if (text->at[1] == '/') {
		while (text->at < text->end && *text->at != '\n')
			text->at++;
		return true;
	}
	for (text->at += 2; text->end - text->at >= 2; text->at++)
		if (text->at[0] == '*' && text->at[1] == '/') {
			text->at += 2;
			return true;
		}
	text->at = text->end;
	return true;
}

static void skip_blank(struct text *text)
{
	while (text->at < text->end)
		if (isspace((unsigned char)*text->at))
			text->at++;
		else if (!skip_comment(text))
			return;
}

static bool is_punctuation(char c)
{
	return c && strchr(punctuation, c);
}

static struct token next(struct text *text)
{
	struct token token;

	skip_blank(text);
	token.start = text->at;
	if (text->at < text->end && is_punctuation(*text->at)) {
		text->depth += (*text->at == '{') - (*text->at == '}');
		text->at++;
	} else {
		while (text->at < text->end && !isspace((unsigned char)*text->at) &&
		       !is_punctuation(*text->at))
			text->at++;
	}
	token.length = (size_t)(text->at - token.start);
	return token;
}

static bool is(struct token token, const char *word)
{
	return token.length == strlen(word) && memcmp(token.start, word, token.length) == 0;
}

static uint64_t number(struct token token)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < token.length && isdigit((unsigned char)token.start[i]); i++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, token.start[i] - '0', &value))
			return UINT64_MAX;
	return value;
}

/* The size of `.u64` and its kind, 0 for a word that is no type. */
static uint32_t type_bytes(struct token token)
{
	char digits[4] = "";

	if (token.length < 3 || token.length > 5 || token.start[0] != '.' ||
	    !memchr("usfb", token.start[1], 4))
		return 0;
	memcpy(digits, token.start + 2, token.length - 2);
	return (uint32_t)strtoul(digits, NULL, 10) / 8;
}

struct declaration {
	struct token name;
	uint32_t element_bytes;
	uint64_t align_bytes;
	uint64_t size_bytes;
	bool is_managed;
};

/* `(.managed)` and its like; true if that word is in it. */
static bool read_attribute(struct text *text)
{
	struct token token;
	bool is_managed = false;

	while ((token = next(text)).length && !is(token, ")"))
		is_managed |= is(token, ".managed");
	return is_managed;
}

/* Reads one declaration up to (and with) one of , ) ; = into what it declares. */
static struct token read_declaration(struct text *text, struct declaration *declaration)
{
	uint64_t elements = 1, align;
	bool is_pointer = false; /* then an alignment is that of what it points to */
	struct token token;

	*declaration = (struct declaration){0};
	while ((token = next(text)).length) {
		if (is(token, ",") || is(token, ")") || is(token, ";") || is(token, "="))
			break;
		if (is(token, ".align")) {
			align = number(next(text));
			if (!is_pointer)
				declaration->align_bytes = align;
		} else if (is(token, ".ptr")) {
			is_pointer = true;
		} else if (is(token, ".attribute"))
			declaration->is_managed |= read_attribute(text);
		else if (is(token, "["))
			elements = number(next(text));
		else if (type_bytes(token))
			declaration->element_bytes = type_bytes(token);
		else if (token.start[0] != '.' && !is(token, "]"))
			declaration->name = token;
	}
	if (__builtin_mul_overflow(elements, declaration->element_bytes, &declaration->size_bytes))
		declaration->size_bytes = UINT64_MAX;
	return token;
}

static uint64_t align_up(uint64_t offset, uint64_t align)
{
	return align > 1 && align <= 4096 ? (offset + align - 1) / align * align : offset;
}

static int read_params(struct text *text, struct sim_image_kernel *kernel)
{
	struct declaration declaration;
	struct token ended;
	uint64_t offset = 0;
	uint32_t index = 0;
	int err = 0;

	do {
		ended = read_declaration(text, &declaration);
		if (!declaration.element_bytes)
			continue;
		offset = align_up(offset, declaration.align_bytes ? declaration.align_bytes
								  : declaration.element_bytes);
		if (offset > SIM_IMAGE_MAX_PARAM_BYTES ||
		    declaration.size_bytes > SIM_IMAGE_MAX_PARAM_BYTES)
			return -EINVAL;
		err = sim_image_set_param(
			kernel, index++,
			(struct sim_image_param){(uint32_t)offset,
						 (uint32_t)declaration.size_bytes});
		offset += declaration.size_bytes;
	} while (!err && is(ended, ","));
	return err;
}

/* Up to three numbers with commas between; those that are left out are 1. */
static void read_shape(struct text *text, uint32_t shape[3])
{
	for (unsigned d = 0; d < 3; d++) {
		uint64_t value = number(next(text));
		struct text ahead = *text;

		shape[d] = value < UINT32_MAX ? (uint32_t)value : 0;
		if (!is(next(&ahead), ",")) {
			for (d++; d < 3; d++)
				shape[d] = 1;
			return;
		}
		*text = ahead;
	}
}

/* What a kernel demands stands between its parameters and its body. */
static void read_demands(struct text text, struct sim_image_kernel *kernel)
{
	uint32_t shape[3];
	uint64_t threads;
	struct token token;

	while ((token = next(&text)).length && !is(token, "{") && !is(token, ";"))
		if (is(token, ".reqnctapercluster")) {
			read_shape(&text, kernel->cluster);
		} else if (is(token, ".maxntid") || is(token, ".reqntid")) {
			read_shape(&text, shape);
			threads = (uint64_t)shape[0] * shape[1];
			threads = threads <= 1024 ? threads * shape[2] : 0;
			if (threads && threads < kernel->max_threads)
				kernel->max_threads = (uint32_t)threads;
		}
}

static int read_entry(struct text *text, struct sim_image *image, bool is_weak)
{
	struct sim_image_kernel *kernel;
	struct token name = next(text);
	struct text ahead = *text;
	int err;

	kernel = sim_image_add_kernel(image, name.start, name.length, &err);
	if (!kernel)
		return err;
	kernel->is_weak = is_weak;
	if (is(next(&ahead), "(")) {
		*text = ahead;
		err = read_params(text, kernel);
	}
	if (!err)
		read_demands(*text, kernel);
	return err;
}

static int read_variable(struct text *text, struct sim_image *image, bool is_constant)
{
	struct sim_image_global *global;
	struct declaration declaration;
	int err;

	read_declaration(text, &declaration);
	if (!declaration.name.length || !declaration.size_bytes ||
	    declaration.size_bytes > SIM_IMAGE_MAX_BYTES)
		return 0;
	global = sim_image_add_global(image, declaration.name.start, declaration.name.length, &err);
	if (!global)
		return err;
	global->size_bytes = declaration.size_bytes;
	global->is_managed = declaration.is_managed;
	global->is_constant = is_constant;
	return 0;
}

int sim_ptx_read(struct sim_bytes bytes, struct sim_image *image)
{
	struct text text = {(const char *)bytes.data, (const char *)bytes.data + bytes.size, 0};
	bool has_version = false, is_weak = false;
	struct token token;
	int err = 0;

	while (!err && (token = next(&text)).length) {
		if (text.depth > 0)
			continue;
		has_version |= is(token, ".version");
		if (!has_version)
			return -EINVAL; /* the first directive of all PTX text */
		if (is(token, ".entry"))
			err = read_entry(&text, image, is_weak);
		else if (is(token, ".global") || is(token, ".const"))
			err = read_variable(&text, image, is(token, ".const"));
		is_weak = is(token, ".weak");
	}
	image->is_ptx = true;
	return has_version ? err : -EINVAL;
}
