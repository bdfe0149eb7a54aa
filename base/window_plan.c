/* Window plan: the parts of the option's value, and windows by times. */
#include "base/window_plan.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_FOR_NS UINT64_C(1000000000) /* of windows that come again */
#define NUMBER_MOST    UINT64_C(1000000000) /* so that no product overflows */

static const char usage[] = "use cudaProfilerApi, nvtx:NAME[@DOMAIN] or calls, each also with "
			    ",every:N; or after:TIME,for:TIME,every:TIME with times like 500ms, "
			    "10s, 5m, 2h";

static int refuse(const char *text, const char *why, char *message, size_t bytes)
{
	snprintf(message, bytes, "window: \"%.200s\": %s", text, why);
	return -EINVAL;
}

/* A whole number from 1 on, and where it ends; 0: none. */
static uint64_t read_number(const char *text, const char **end)
{
	char *stop;
	unsigned long long number;

	if (!isdigit((unsigned char)*text))
		return 0;
	errno = 0;
	number = strtoull(text, &stop, 10);
	*end = stop;
	return errno || number > NUMBER_MOST ? 0 : number;
}

static bool ends(const char *text)
{
	return !*text || *text == ',';
}

/* "10s"; false if it is no time. */
static bool read_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {{"ms", UINT64_C(1000000)},
		     {"s", UINT64_C(1000000000)},
		     {"m", UINT64_C(60000000000)},
		     {"h", UINT64_C(3600000000000)}};
	const char *rest = text;
	uint64_t number = read_number(text, &rest);

	if (!number && (text[0] != '0' || isdigit((unsigned char)text[1])))
		return false;
	if (!number)
		rest = text + 1;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t length = strlen(units[i].unit);

		if (strncmp(rest, units[i].unit, length) != 0 || !ends(rest + length))
			continue;
		return !__builtin_mul_overflow(number, units[i].ns, ns);
	}
	return false;
}

/* Ranges may have commas in their names: only ",every:" at the end is not the name's. */
static size_t name_bytes(const char *text)
{
	const char *every = strstr(text, ",every:");

	return every ? (size_t)(every - text) : strlen(text);
}

static bool read_range(struct sc_window_plan *plan, const char *text, size_t bytes)
{
	const char *at = memrchr(text, '@', bytes);
	size_t name = at ? (size_t)(at - text) : bytes;
	size_t domain = at ? bytes - name - 1 : 0;

	if (!name || name >= SC_WINDOW_NAME || domain >= SC_WINDOW_NAME || (at && !domain))
		return false;
	memcpy(plan->name, text, name);
	memcpy(plan->domain, text + bytes - domain, domain);
	return true;
}

/* The source at the start of the value, and what is after it. */
static const char *read_source(struct sc_window_plan *plan, const char *text)
{
	static const char nvtx[] = "nvtx:", profiler[] = "cudaProfilerApi", calls[] = "calls";
	size_t bytes;

	if (!strncmp(text, nvtx, strlen(nvtx))) {
		text += strlen(nvtx);
		bytes = name_bytes(text);
		plan->source = SC_WINDOW_NVTX;
		return read_range(plan, text, bytes) ? text + bytes : NULL;
	}
	plan->source = SC_WINDOW_TIMES;
	if (!strncmp(text, profiler, strlen(profiler)) && ends(text + strlen(profiler)))
		plan->source = SC_WINDOW_PROFILER;
	if (!strncmp(text, calls, strlen(calls)) && ends(text + strlen(calls)))
		plan->source = SC_WINDOW_CALLS;
	if (plan->source == SC_WINDOW_TIMES)
		return text;
	return text + strcspn(text, ",");
}

static bool read_every(struct sc_window_plan *plan, const char *text)
{
	static const char every[] = ",every:";
	const char *end = "?";

	if (!*text)
		return true;
	if (strncmp(text, every, strlen(every)) != 0)
		return false;
	plan->every = read_number(text + strlen(every), &end);
	return plan->every && !*end;
}

static bool read_times(struct sc_window_plan *plan, const char *text)
{
	static const char *const words[] = {"after:", "for:", "every:"};
	uint64_t *const times[] = {&plan->after_ns, &plan->for_ns, &plan->period_ns};
	unsigned seen = 0;

	for (;; text++) {
		size_t i = 0;

		while (i < 3 && strncmp(text, words[i], strlen(words[i])) != 0)
			i++;
		if (i == 3 || seen & 1u << i || !read_time(text + strlen(words[i]), times[i]))
			return false;
		seen |= 1u << i;
		if (i && !*times[i])
			return false;
		text += strcspn(text, ",");
		if (!*text)
			return true;
	}
}

int sc_window_plan_read(struct sc_window_plan *plan, const char *text, char *message, size_t bytes)
{
	const char *rest;

	*plan = (struct sc_window_plan){.every = 1};
	if (!*text)
		return 0;
	rest = read_source(plan, text);
	if (!rest)
		return refuse(text, "a range has a name, and a domain after an @", message, bytes);
	if (plan->source != SC_WINDOW_TIMES)
		return read_every(plan, rest) ? 0 : refuse(text, usage, message, bytes);
	if (!read_times(plan, rest))
		return refuse(text, usage, message, bytes);
	if (plan->period_ns && !plan->for_ns)
		plan->for_ns = DEFAULT_FOR_NS;
	if (plan->period_ns && plan->for_ns > plan->period_ns)
		return refuse(text, "a window cannot be longer than the time from one to the next",
			      message, bytes);
	return 0;
}

bool sc_window_plan_is_open(const struct sc_window_plan *plan, uint64_t elapsed_ns,
			    uint64_t *next_ns)
{
	uint64_t begin = plan->after_ns;

	*next_ns = begin;
	if (elapsed_ns < begin)
		return false;
	*next_ns = UINT64_MAX;
	if (!plan->for_ns || plan->for_ns == plan->period_ns)
		return true;
	if (plan->period_ns)
		begin += (elapsed_ns - begin) / plan->period_ns * plan->period_ns;
	if (elapsed_ns - begin < plan->for_ns) {
		*next_ns = begin + plan->for_ns;
		return true;
	}
	if (plan->period_ns)
		*next_ns = begin + plan->period_ns;
	return false;
}

bool sc_window_plan_names(const struct sc_window_plan *plan, const char *domain, const char *name)
{
	return plan->source == SC_WINDOW_NVTX && !strcmp(plan->domain, domain) &&
	       !strncmp(plan->name, name, SC_WINDOW_NAME - 1);
}
