/* Settings of CUPTI: one line of text. */
#include "interposer/cupti/setting.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "interposer/core/say.h"

static const struct row {
	const char *name;
	size_t at, least, most;
} rows[] = {
#define SC_CUPTI_SETTING(member, name, standard, least, most, meaning) \
	{name, offsetof(struct sc_cupti_setting, member), least, most},
#include "interposer/cupti/setting.def"
#undef SC_CUPTI_SETTING
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct row *find(const char *word, size_t length)
{
	for (unsigned i = 0; i < ROWS; i++) {
		if (strlen(rows[i].name) == length && !strncmp(rows[i].name, word, length))
			return &rows[i];
	}
	return NULL;
}

/* One `name=value`, which ends at a comma or at the end of the text. */
static bool change(struct sc_cupti_setting *out, const char *word)
{
	size_t length = strcspn(word, "=,");
	const struct row *row = find(word, length);
	unsigned long value;
	char *end;

	if (!row || word[length] != '=' || word[length + 1] < '0' || word[length + 1] > '9')
		return false;
	errno = 0;
	value = strtoul(word + length + 1, &end, 10);
	if (errno || (*end && *end != ',') || value < row->least || value > row->most)
		return false;
	memcpy((char *)out + row->at, &value, sizeof(value));
	return true;
}

void sc_cupti_setting_read(struct sc_cupti_setting *out, const char *text)
{
	_Static_assert(sizeof(size_t) == sizeof(unsigned long), "a value is either");
	*out = (struct sc_cupti_setting){
#define SC_CUPTI_SETTING(member, name, standard, least, most, meaning) .member = (standard),
#include "interposer/cupti/setting.def"
#undef SC_CUPTI_SETTING
	};
	while (text && *text) {
		size_t length = strcspn(text, ",");

		if (length && !change(out, text))
			sc_say("STREAMCHECK_CUPTI: cannot use \"%.*s\"", (int)length, text);
		text += length + (text[length] == ',');
	}
}

unsigned sc_cupti_setting_apply(const struct sc_cupti_setting *s,
				typeof(cuptiActivitySetAttribute) *set,
				typeof(cuptiActivityFlushPeriod) *set_period)
{
	const struct {
		CUpti_ActivityAttribute attribute;
		bool is_wanted;
		size_t value, bytes;
	} all[] = {
		{CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, s->zeroed, 1, 1},
		{CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, !s->per_thread, 0, 1},
		{CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, s->pinned, 1, 1},
		{CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, s->device_buffer, s->device_buffer, 8},
		{CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE, s->device_buffers,
		 s->device_buffers, 8},
	};
	unsigned refused = 0;

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		/* little-endian: a smaller value is the first bytes of a larger one */
		size_t value = all[i].value, bytes = all[i].bytes;

		if (all[i].is_wanted)
			refused += !set || set(all[i].attribute, &bytes, &value) != CUPTI_SUCCESS;
	}
	if (s->period && set_period)
		set_period((uint32_t)s->period);
	return refused;
}
