// Runs the scenario that its argument names.
#include "tests/e2e/scenarios/actor/actor.h"

static const struct way {
	const char *name;
	int (*run)(void);
} ways[] = {
#define WAY(name, run) {#name, run},
#include "tests/e2e/scenarios/actor/ways.def"
#undef WAY
};

int main(int argc, char **argv)
{
	for (const struct way &way : ways)
		if (argc == 2 && !strcmp(way.name, argv[1]))
			return way.run();
	fprintf(stderr, "usage: actor WAY\n");
	return 99;
}
