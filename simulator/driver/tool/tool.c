/* The tool that changes kernels, as the driver sees it. */
#include "simulator/driver/tool/tool.h"

#include <stdatomic.h>

static const struct sim_tool *_Atomic the_tool; /* borrowed, for good */
static __thread struct sim_tool_thread self;
static bool has_news;

struct sim_tool_thread *sim_tool_thread(void)
{
	return &self;
}

void sim_tool_set(const struct sim_tool *tool)
{
	atomic_store_explicit(&the_tool, tool, memory_order_release);
}

const struct sim_tool *sim_tool(void)
{
	/* acquire: pairs with sim_tool_set, after which what the tool gave is there */
	return self.is_inside ? NULL : atomic_load_explicit(&the_tool, memory_order_acquire);
}

void sim_tool_add(void)
{
	has_news = true;
}

bool sim_tool_take_news(void)
{
	bool had_news = has_news;

	has_news = false;
	return had_news;
}

void sim_tool_launched(void)
{
	self.grid = 0;
	self.word = 0;
}
