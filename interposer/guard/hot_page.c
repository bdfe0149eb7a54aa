/* Hot pages: counting single steps. */
#include "interposer/guard/hot_page.h"

#include "base/assert.h"
#include "interposer/core/raw.h"

#define MOST_PAGE_STEPS 256  /* then the page is given up */
#define FIRST_STEPS	4096 /* of the process; and as many more for each operand watched: */
#define WATCH_STEPS	64

bool sc_hot_page_steps_are_spent(const struct sc_hot_pages *hot)
{
	return hot->steps >= FIRST_STEPS + WATCH_STEPS * hot->watched;
}

bool sc_hot_page_may_step(struct sc_hot_pages *hot, uint64_t page)
{
	typeof(&hot->warm[0]) w = &hot->warm[page / SC_PAGE % SC_WARM_PAGES];

	sc_assert(page % SC_PAGE == 0);
	if (w->page != page) {
		w->page = page;
		w->steps = 0;
	}
	hot->steps++;
	return ++w->steps <= MOST_PAGE_STEPS && !sc_hot_page_steps_are_spent(hot);
}

bool sc_hot_page_give_up(struct sc_hot_pages *hot, uint64_t page)
{
	for (unsigned i = 0; i < SC_HOT_PAGES; i++) {
		if (hot->page[i] == page)
			return false;
	}
	hot->page[hot->next] = page;
	hot->next = (hot->next + 1) % SC_HOT_PAGES;
	return true;
}

bool sc_hot_page_holds(const struct sc_hot_pages *hot, uint64_t page, uint64_t *next)
{
	for (unsigned i = 0; i < SC_HOT_PAGES; i++) {
		uint64_t h = hot->page[i];

		if (h == page) {
			*next = page + SC_PAGE;
			return true;
		}
		if (h > page && h < *next)
			*next = h;
	}
	return false;
}
