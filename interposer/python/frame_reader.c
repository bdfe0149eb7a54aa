/* Frames of the interpreter, read in place. */
#include "interposer/python/frame_reader.h"

#include <string.h>
#include "interposer/python/code_cache.h"
#include "interposer/python/lines.h"

#define PIECE	       256		   /* bytes of a string or table, read at a time */
#define PAIR	       16		   /* bytes of two words */
#define MOST_STRING    4096		   /* characters; a longer name is none */
#define MOST_TABLE     (UINT64_C(1) << 22) /* bytes */
#define CODE_UNIT      2		   /* bytes of an instruction */
#define TAGS	       UINT64_C(7)	   /* low bits of a reference that are no address */
#define MOST_STEPS     256		   /* frames walked, of the interpreter's own too */
#define BY_GENERATOR   1		   /* owners of frames */
#define BY_INTERPRETER 3		   /* and above: its own, which are no frames of Python */

/* Characters or bytes in memory. */
struct run {
	uint64_t start, count;
	unsigned width; /* 1, 2 or 4 bytes */
};

struct code {
	struct run file, function, lines;
	int64_t first_line;
	uint64_t bytes;
	uint64_t traceable; /* offset of the first one that has a line */
};

static uint64_t word_of(const uint8_t *head, int32_t offset)
{
	uint64_t word;

	memcpy(&word, head + offset, sizeof(word));
	return word;
}

static int32_t int_of(const uint8_t *head, int32_t offset)
{
	int32_t number;

	memcpy(&number, head + offset, sizeof(number));
	return number;
}

/* The head of an object, if it is of that type. */
static bool read_object(const struct sc_python_reader *r, uint64_t object, uint64_t type,
			uint8_t head[SC_PYTHON_MOST_HEAD], int32_t bytes)
{
	return !(object & TAGS) && sc_safe_read_bytes(r->memory, head, object, (size_t)bytes) &&
	       word_of(head, r->layout->object_type) == type;
}

static bool find_string(const struct sc_python_reader *r, uint64_t object, struct run *out)
{
	const struct sc_python_layout *l = r->layout;
	uint8_t head[SC_PYTHON_MOST_HEAD];
	uint32_t state;

	if (!read_object(r, object, l->string_type, head, l->string_ascii))
		return false;
	state = (uint32_t)int_of(head, l->string_state) >> l->kind;
	out->width = state & 7;
	out->count = word_of(head, l->string_length);
	out->start = object + (uint64_t)(state & 16 ? l->string_ascii : l->string_other);
	return state & 8 && out->count <= MOST_STRING &&
	       (out->width == 1 || out->width == 2 || out->width == 4);
}

static bool find_table(const struct sc_python_reader *r, uint64_t object, struct run *out)
{
	const struct sc_python_layout *l = r->layout;
	uint8_t head[SC_PYTHON_MOST_HEAD];

	if (!read_object(r, object, l->bytes_type, head, l->bytes_start))
		return false;
	*out = (struct run){.start = object + (uint64_t)l->bytes_start,
			    .count = word_of(head, l->object_count),
			    .width = 1};
	return out->count <= MOST_TABLE;
}

static bool find_code(const struct sc_python_reader *r, uint64_t object, struct code *out)
{
	const struct sc_python_layout *l = r->layout;
	uint8_t head[SC_PYTHON_MOST_HEAD];

	if (!read_object(r, object, l->code_type, head, l->code_start))
		return false;
	out->first_line = int_of(head, l->code_first_line);
	out->bytes = word_of(head, l->object_count) * CODE_UNIT;
	out->traceable = (uint64_t)int_of(head, l->code_traceable) * CODE_UNIT;
	return find_string(r, word_of(head, l->code_file), &out->file) &&
	       find_string(r, word_of(head, l->code_function), &out->function) &&
	       find_table(r, word_of(head, l->code_lines), &out->lines);
}

/* ---- what a frame is known by ---- */

/* Two words at a time; both halves of the product count. */
static uint64_t mix(uint64_t hash, uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)(hash ^ a ^ UINT64_C(0x9e3779b97f4a7c15)) *
				    (b ^ UINT64_C(0xd6e8feb86659fd93));

	return (uint64_t)product ^ (uint64_t)(product >> 64) ^ hash << 7;
}

static bool mix_run(const struct sc_python_reader *r, uint64_t *hash, const struct run *run)
{
	uint64_t bytes = run->count * run->width, words[PIECE / sizeof(uint64_t)], h = *hash;

	h = mix(h, bytes, run->width);
	for (uint64_t at = 0; at < bytes; at += PIECE) {
		uint64_t piece = bytes - at < PIECE ? bytes - at : PIECE, *pair = words;

		memset((char *)words + piece / PAIR * PAIR - (piece % PAIR ? 0 : PAIR), 0, PAIR);
		if (!sc_safe_read_bytes(r->memory, words, run->start + at, piece))
			return false;
		for (uint64_t i = 0; i < piece; i += PAIR, pair += 2)
			h = mix(h, pair[0], pair[1]);
	}
	*hash = h;
	return true;
}

static bool hash_code(const struct sc_python_reader *r, uint64_t object, struct sc_python_code *out)
{
	struct code code;

	if (!find_code(r, object, &code) || code.bytes > UINT32_MAX || code.traceable > UINT32_MAX)
		return false;
	out->bytes = (uint32_t)code.bytes;
	out->traceable = (uint32_t)code.traceable;
	out->stamp = mix(0, (uint64_t)code.first_line, 0);
	return mix_run(r, &out->stamp, &code.file) && mix_run(r, &out->stamp, &code.function) &&
	       mix_run(r, &out->stamp, &code.lines);
}

static bool know_code(const struct sc_python_reader *r, uint64_t object, struct sc_python_code *out)
{
	if (sc_python_codes_find(object, out))
		return true;
	if (!hash_code(r, object, out))
		return false;
	sc_python_codes_keep(object, out);
	return true;
}

/* ---- frames ---- */

/* Appends the frame unless the interpreter would not report the frame either. */
static bool add_frame(const struct sc_python_reader *r, const uint8_t *head,
		      struct sc_python_frames *out)
{
	const struct sc_python_layout *l = r->layout;
	uint64_t object = word_of(head, l->frame_code) & ~TAGS, offset;
	uint8_t owner = head[l->frame_owner];
	struct sc_python_code code;

	if (owner >= BY_INTERPRETER)
		return true;
	if (!know_code(r, object, &code))
		return false;
	offset = word_of(head, l->frame_instruction) - (object + (uint64_t)l->code_start);
	if (owner != BY_GENERATOR && (int64_t)offset < (int64_t)code.traceable)
		return true;
	if ((int64_t)offset >= 0 && offset >= code.bytes)
		return false;
	out->frame[out->count].code = object;
	out->frame[out->count].offset = offset;
	out->frame[out->count++].stamp = code.stamp;
	return true;
}

bool sc_python_read_innermost(const struct sc_python_reader *r, uint64_t thread, uint64_t *frame)
{
	const struct sc_python_layout *l = r->layout;

	if (!sc_safe_read_bytes(r->memory, frame, thread + (uint64_t)l->thread_frame,
				sizeof(*frame)))
		return false;
	return l->holder_frame == SC_PYTHON_NO_HOLDER ||
	       sc_safe_read_bytes(r->memory, frame, *frame + (uint64_t)l->holder_frame,
				  sizeof(*frame));
}

bool sc_python_read(const struct sc_python_reader *r, uint64_t frame, struct sc_python_frames *out)
{
	uint8_t head[SC_PYTHON_MOST_HEAD];

	out->count = 0;
	for (out->steps = 0; frame && out->count < SC_PYTHON_DEPTH; out->steps++) {
		if (out->steps == MOST_STEPS || frame & TAGS ||
		    !sc_safe_read_bytes(r->memory, head, frame, r->layout->frame_bytes) ||
		    !add_frame(r, head, out))
			return false;
		frame = word_of(head, r->layout->frame_previous);
	}
	return true;
}

/* ---- text ---- */

/* False if it cannot be read, or is no text: UTF-8 has no half characters. */
static bool add_name(const struct sc_python_reader *r, const struct run *run,
		     struct sc_python_text *t)
{
	for (uint64_t i = 0; i < run->count; i++) {
		uint32_t c = 0;

		if (!sc_safe_read_bytes(r->memory, &c, run->start + i * run->width, run->width) ||
		    (c >= 0xD800 && c < 0xE000))
			return false;
		if (!c)
			break;
		sc_python_text_add_code_point(t, c);
	}
	return true;
}

static bool find_line(const struct sc_python_reader *r, const struct code *code, uint64_t offset,
		      uint64_t *number)
{
	struct sc_python_lines lines = sc_python_lines_init(offset, code->first_line);
	uint8_t piece[PIECE];
	bool is_known = false;

	*number = (uint64_t)code->first_line; /* of what stands before the first instruction */
	if ((int64_t)offset < 0)
		return true;
	for (uint64_t at = 0; at < code->lines.count && !is_known; at += PIECE) {
		uint64_t bytes = code->lines.count - at < PIECE ? code->lines.count - at : PIECE;

		if (!sc_safe_read_bytes(r->memory, piece, code->lines.start + at, bytes))
			return false;
		is_known = sc_python_lines_feed(&lines, piece, bytes);
	}
	*number = sc_python_lines_number(&lines);
	return true;
}

bool sc_python_read_text(const struct sc_python_reader *r, const struct sc_python_frames *frames,
			 struct sc_python_text *t)
{
	t->used = 0;
	for (uint32_t i = 0; i < frames->count && sc_python_text_has_room(t); i++) {
		uint64_t number = 0;
		struct code code;

		if (!find_code(r, frames->frame[i].code, &code) ||
		    !find_line(r, &code, frames->frame[i].offset, &number) ||
		    !add_name(r, &code.function, t))
			return false;
		sc_python_text_end_function(t);
		if (!add_name(r, &code.file, t))
			return false;
		sc_python_text_end_line(t, number);
	}
	return true;
}
