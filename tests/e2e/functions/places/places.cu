// Runs every row of the tables (place.h): each must work as if its page were not protected. Every
// one has a page of its own, so that none is given up.
#include "tests/e2e/functions/places/place.h"
#include <sys/syscall.h>

char path[] = "/tmp/places.XXXXXX";

static const struct places *const tables[] = {&of_files, &of_channels, &of_processes};

enum { PAGE = 4096, OPERAND = 3072 };

static int refused, wrong;

static void furnish(char *p)
{
	strcpy(FILE_, path);
	strcpy(ABSENT, "/tmp/places.absent");
	snprintf(ABSENT + 18, 32, ".%d", getpid());
	strcpy(FOLDER, "/proc/sys/vm");
	strcpy(LINK, "/proc/self/exe");
	strcpy(TEMPLATE, "/tmp/places.XXXXXX");
	strcpy(COMMAND, "exit 3");
	strcpy(ATTRIBUTE, "user.a");
	strcpy(SHELL, "/bin/sh");
	TIME_->tv_nsec = 1000;
	sigemptyset(SET);
	*PARTS = {ROOM, 8};
	ARGUMENTS[0] = SHELL;
	ARGUMENTS[1] = strcpy(p + 800, "-c");
	ARGUMENTS[2] = COMMAND;
}

// The kernel is asked past every wrapper.
static bool is_refused(const char *at)
{
	long result;

	asm volatile("syscall"
		     : "=a"(result)
		     : "a"(SYS_access), "D"(at), "S"(F_OK)
		     : "rcx", "r11", "memory");
	return result == -EFAULT;
}

// Tries it beside an operand in flight.
static void try_one(const struct place *place, char *p, const char *d_data, cudaStream_t copies)
{
	furnish(p);
	CHECK(cudaMemcpyAsync(p + OPERAND, d_data, PAGE - OPERAND, cudaMemcpyDeviceToHost, copies));
	if (is_refused(p))
		refused++;
	else
		fprintf(stderr, "%s: the page is open\n", place->name);
	errno = 0;
	if (!place->use(p)) {
		fprintf(stderr, "%s does not work: %s\n", place->name, strerror(errno));
		wrong++;
	}
	CHECK(cudaStreamSynchronize(copies));
}

static int try_all(int count)
{
	char *pages = (char *)pinned(count * PAGE), *d_data = (char *)on_device(PAGE), *p = pages;
	cudaStream_t copies;

	CHECK(cudaStreamCreate(&copies));
	for (const struct places *table : tables)
		for (int i = 0; i < table->count; i++, p += PAGE)
			try_one(&table->list[i], p, d_data, copies);
	fprintf(stderr, "\n%d places, %d protected, %d wrong\n", count, refused, wrong);
	CHECK(cudaStreamDestroy(copies));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(pages));
	return wrong ? EXIT_WRONG : 0;
}

static int list_all(void)
{
	for (const struct places *table : tables)
		for (int i = 0; i < table->count; i++)
			printf("%s\n", table->list[i].name);
	return 0;
}

int main(int argc, char **argv)
{
	int count = 0, code;

	if (argc == 2 && !strcmp(argv[1], "--list"))
		return list_all();
	for (const struct places *table : tables)
		count += table->count;
	close(mkstemp(path));
	if (truncate(path, 8192))
		return EXIT_WRONG;
	code = try_all(count);
	unlink(path);
	remove_queues();
	return code;
}
