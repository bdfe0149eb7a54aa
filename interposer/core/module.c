/* Modules: their hooks, one after the other. */
#include "interposer/core/module.h"

#include <string.h>

static const struct sc_module *const modules[] = {
#define MODULE(name) &sc_module_##name,
#include "interposer/core/module.def"
#undef MODULE
};

#define MODULES (sizeof(modules) / sizeof(modules[0]))
#define EACH(hook, ...)                                        \
	do {                                                   \
		for (size_t i = 0; i < MODULES; i++)           \
			if (modules[i] && modules[i]->hook)    \
				modules[i]->hook(__VA_ARGS__); \
	} while (0)

void sc_modules_begin(void)
{
	EACH(begin);
}

void sc_modules_live(void)
{
	EACH(live);
}

void sc_modules_loaded(const struct dl_phdr_info *info, const char *name)
{
	EACH(loaded, info, name);
}

void sc_modules_initialized(void)
{
	EACH(initialized);
}

void sc_modules_host_function(void)
{
	EACH(host_function);
}

void sc_modules_profiler_started(void)
{
	EACH(profiler_started);
}

void sc_modules_profiler_stopped(void)
{
	EACH(profiler_stopped);
}

void sc_modules_flush(void)
{
	EACH(flush);
}

void sc_modules_close(void)
{
	EACH(close);
}

void sc_modules_unused(int status)
{
	EACH(unused, status);
}

void sc_modules_calls_gone(void)
{
	EACH(calls_gone);
}

void sc_modules_thread_end(void)
{
	EACH(thread_end);
}

void sc_modules_forget(void)
{
	EACH(forget);
	for (size_t i = 0; i < MODULES; i++)
		if (modules[i] && modules[i]->state)
			memset(modules[i]->state, 0, modules[i]->bytes);
}
