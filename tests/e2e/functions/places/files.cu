// What calls about files need.
#include "tests/e2e/functions/places/place.h"
#include <dirent.h>
#include <ftw.h>
#include <glob.h>
#include <mntent.h>
#include <netdb.h>
#include <nl_types.h>
#include <stdarg.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/quota.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/swap.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

#undef fread_unlocked
#undef fwrite_unlocked
#undef fputs_unlocked

// Without declarations, or only with _FORTIFY_SOURCE.
extern "C" {
ssize_t __read(int, void *, size_t);
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __write(int, const void *, size_t);
ssize_t __pread64(int, void *, size_t, off64_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t);
ssize_t __pwrite64(int, const void *, size_t, off64_t);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
size_t __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);
int __printf_chk(int, const char *, ...);
int __fprintf_chk(FILE *, int, const char *, ...);
int __dprintf_chk(int, int, const char *, ...);
int __vprintf_chk(int, const char *, va_list);
int __vfprintf_chk(FILE *, int, const char *, va_list);
int __vdprintf_chk(int, int, const char *, va_list);
int __open(const char *, int, ...);
int __open64(const char *, int, ...);
int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);
int __xstat(int, const char *, struct stat *);
int __xstat64(int, const char *, struct stat64 *);
int __lxstat(int, const char *, struct stat *);
int __lxstat64(int, const char *, struct stat64 *);
int __fxstat(int, int, struct stat *);
int __fxstat64(int, int, struct stat64 *);
int __fxstatat(int, int, const char *, struct stat *, int);
int __fxstatat64(int, int, const char *, struct stat64 *, int);
int __xmknod(int, const char *, mode_t, dev_t *);
int __xmknodat(int, int, const char *, mode_t, dev_t *);
ssize_t __readlink_chk(const char *, char *, size_t, size_t);
ssize_t __readlinkat_chk(int, const char *, char *, size_t, size_t);
char *__getcwd_chk(char *, size_t, size_t);
char *__realpath_chk(const char *, char *, size_t);
int pivot_root(const char *, const char *);
int init_module(void *, unsigned long, const char *);
int delete_module(const char *, unsigned);
int __statfs(const char *, struct statfs *);
}

static char whole_page[4096];
static dev_t no_device;
static dirent **names;
static dirent64 **names64;
static off_t position;
static glob_t found;
static glob64_t found64;

int open_file(void)
{
	return open(path, O_RDWR);
}

static FILE *unbuffered(void)
{
	FILE *opened = fdopen(open_file(), "r+");

	setvbuf(opened, NULL, _IONBF, 0);
	return opened;
}

static bool closed(FILE *opened)
{
	return opened && !fclose(opened);
}

static int open_folder(void)
{
	return open("/", O_RDONLY | O_DIRECTORY);
}

static int visit(const char *, const struct stat *, int)
{
	return 0;
}

static int visit64(const char *, const struct stat64 *, int)
{
	return 0;
}

static int visit_more(const char *, const struct stat *, int, FTW *)
{
	return 0;
}

static int visit_more64(const char *, const struct stat64 *, int, FTW *)
{
	return 0;
}

static int in_list(int kind, const char *format, ...)
{
	va_list list;
	int done = -1;

	va_start(list, format);
	switch (kind) {
	case 1: done = vprintf(format, list); break;
	case 2: done = __vprintf_chk(1, format, list); break;
	case 3: done = vfprintf(unbuffered(), format, list); break;
	case 4: done = __vfprintf_chk(unbuffered(), 1, format, list); break;
	case 5: done = vdprintf(open_file(), format, list); break;
	case 6: done = __vdprintf_chk(open_file(), 1, format, list); break;
	}
	va_end(list);
	return done;
}

#define ROWS  "tests/e2e/functions/places/files.def"
#define TABLE of_files
#include "tests/e2e/functions/places/table.h"
