// Runs programs of the folder above one after the other: `nccl-racy -n 2 NAMES...` starts so many
// processes of itself, each with its RANK, and ends with the worst exit code of them. Each program
// is compiled with its main() under its own name.
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include "testcases/ranks/nccl/collectives.h"

#define RANKS_MOST 4

extern char **environ;

#define PROGRAMS   "programs.inc"
#define PARAMETERS (int argc, char **argv)
#define ARGUMENTS  (argc, argv)
#include "testcases/one_by_one.h"

// Written under another name first, so that it is there with all of its bytes.
static void write_all(const char *path, const void *bytes, size_t count)
{
	char early[4200];
	FILE *file;

	snprintf(early, sizeof(early), "%s.early", path);
	file = fopen(early, "w");
	if (!file || fwrite(bytes, count, 1, file) != 1 || fclose(file) || rename(early, path))
		give_up(3);
}

void share_bytes(int rank, void *bytes, size_t count)
{
	static unsigned made;
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s.%u", getenv("RANKS_FILE"), made++);
	if (rank == 0) {
		write_all(path, bytes, count);
		return;
	}
	while (!(file = fopen(path, "r")))
		usleep(1000);
	if (fread(bytes, count, 1, file) != 1)
		give_up(3);
	fclose(file);
}

ncclUniqueId shared_id(int rank)
{
	ncclUniqueId id;

	if (rank == 0)
		TRY(ncclGetUniqueId(&id));
	share_bytes(rank, &id, sizeof(id));
	return id;
}

static pid_t start(int rank, char **argv)
{
	char number[16];
	pid_t child;

	snprintf(number, sizeof(number), "%d", rank);
	setenv("RANK", number, 1);
	return posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ) ? -1 : child;
}

static int start_all(int ranks, char **argv)
{
	char folder[] = "ranks-XXXXXX", file[64], number[16];
	int worst = 0;

	if (ranks < 1 || ranks > RANKS_MOST || !mkdtemp(folder))
		return 3;
	snprintf(file, sizeof(file), "%s/places", folder);
	snprintf(number, sizeof(number), "%d", ranks);
	setenv("RANKS_FILE", file, 1);
	setenv("WORLD_SIZE", number, 1);
	setenv("TORCHELASTIC_RUN_ID", "ranks", 1);
	for (int i = 0; i < ranks; i++)
		if (start(i, argv) < 0)
			return 3;
	for (int status; wait(&status) > 0 || errno == EINTR;) {
		int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);

		worst = code > worst ? code : worst;
	}
	return worst;
}

int main(int argc, char **argv)
{
	int ranks;

	if (getenv("RANK"))
		return run_one_by_one(argc, argv);
	if (argc < 3 || strcmp(argv[1], "-n") != 0)
		return 3;
	ranks = atoi(argv[2]);
	argv[2] = argv[0];
	return start_all(ranks, argv + 2);
}
