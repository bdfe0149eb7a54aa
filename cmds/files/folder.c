/* Folder: names taken apart, and the oldest removed. */
#include "cmds/files/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/vector.h"
#include "reports/report.h"

#define SECOND UINT64_C(1000000000)

static const char ignored[] = "# Made by streamcheck.\n*\n";

/* A file of ours in the folder. */
struct left {
	char *name;   /* owned */
	uint64_t run; /* number of the process that made the report */
	uint64_t changed;
};

struct all {
	SC_VECTOR(struct left) files;
	int folder; /* -1: there is none */
};

bool sc_folder_is_wanted(const struct sc_options *o)
{
	if (o->format != SC_FORMAT_TEXT || o->html == SC_HTML_NO)
		return 0;
	return o->html == SC_HTML_YES || isatty(STDERR_FILENO);
}

bool sc_folder_is_writable(void)
{
	return !access(access(SC_FOLDER, F_OK) ? "." : SC_FOLDER "/.", W_OK);
}

/* Others may have put a folder, or a link to one, where everybody may put something. */
static int check_owner(void)
{
	struct stat status, here;

	if (lstat(SC_FOLDER, &status) || lstat(".", &here))
		return -errno;
	if (status.st_uid == geteuid() || !status.st_uid)
		return 0;
	return S_ISLNK(status.st_mode) || here.st_mode & S_IWOTH ? -EPERM : 0;
}

int sc_folder_make(void)
{
	int fd, err = 0;

	if (mkdir(SC_FOLDER, 0777))
		return errno == EEXIST ? check_owner() : -errno;
	fd = open(SC_FOLDER "/.gitignore", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		  0666);
	if (fd < 0)
		return errno == EEXIST ? 0 : -errno;
	if (write(fd, ignored, strlen(ignored)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* "7" or "7.9" after "report.", then the ending. */
static bool take_name(const char *name, const char *ending, uint64_t *run)
{
	const char *at = name + strlen("report.");
	size_t digits;

	if (strncmp(name, "report.", strlen("report.")) != 0)
		return 0;
	digits = strspn(at, "0123456789");
	*run = strtoull(at, NULL, 10);
	at += digits;
	if (digits && *at == '.' && at[1] >= '0' && at[1] <= '9')
		at += 1 + strspn(at + 1, "0123456789");
	return digits && digits < 20 && !strcmp(at, ending);
}

/* The formats are those of reports that are asked for while the program runs. */
static bool is_report(const char *name, uint64_t *run)
{
	if (take_name(name, ".html", run) || take_name(name, ".txt", run))
		return 1;
	for (size_t i = 0; i < sc_report_count(); i++) {
		char ending[32];

		snprintf(ending, sizeof(ending), ".%s", sc_report_at(i)->name);
		if (take_name(name, ending, run))
			return 1;
	}
	return 0;
}

static void take_file(struct all *all, const char *name, bool only_traces)
{
	struct left left = {0};
	struct stat status;

	if (!take_name(name, ".sct.zst", &left.run) && (only_traces || !is_report(name, &left.run)))
		return;
	if (fstatat(all->folder, name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode) ||
	    status.st_uid != geteuid())
		return;
	left.changed = (uint64_t)status.st_mtim.tv_sec * SECOND + (uint64_t)status.st_mtim.tv_nsec;
	left.name = sc_heap_xcopy(name, strlen(name));
	sc_vector_push(&all->files, left);
}

static int by_age(const void *a, const void *b)
{
	const struct left *x = a, *y = b;

	if (x->changed != y->changed)
		return x->changed < y->changed ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Our files, the newest first. */
static void list(struct all *all, bool only_traces)
{
	DIR *folder;
	struct dirent *entry;

	*all = (struct all){
		.folder = open(SC_FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
	folder = all->folder < 0 ? NULL : fdopendir(dup(all->folder));
	while (folder && (entry = readdir(folder)))
		take_file(all, entry->d_name, only_traces);
	if (folder)
		closedir(folder);
	if (all->files.count)
		qsort(all->files.items, all->files.count, sizeof(*all->files.items), by_age);
}

static void fini(struct all *all)
{
	for (size_t i = 0; i < all->files.count; i++)
		free(all->files.items[i].name);
	sc_vector_fini(&all->files);
	if (all->folder >= 0)
		close(all->folder);
}

/* True if the run is among those that stay; adds it while there is room. */
static bool stays(uint64_t runs[SC_FOLDER_STAYS], unsigned *count, uint64_t run)
{
	for (unsigned i = 0; i < *count; i++)
		if (runs[i] == run)
			return 1;
	if (*count == SC_FOLDER_STAYS)
		return 0;
	runs[(*count)++] = run;
	return 1;
}

void sc_folder_clean(uint64_t began)
{
	uint64_t runs[SC_FOLDER_STAYS];
	unsigned count = 0;
	struct all all;

	list(&all, 0);
	for (size_t i = 0; i < all.files.count; i++) {
		const struct left *left = &all.files.items[i];

		if (!stays(runs, &count, left->run) && began && left->changed < began)
			unlinkat(all.folder, left->name, 0);
	}
	fini(&all);
}

bool sc_folder_newest_trace(char out[PATH_MAX])
{
	struct all all;
	bool is_there;

	list(&all, 1);
	is_there = all.files.count > 0;
	*out = '\0';
	if (is_there)
		snprintf(out, PATH_MAX, SC_FOLDER "/%s", all.files.items[0].name);
	fini(&all);
	return is_there;
}
