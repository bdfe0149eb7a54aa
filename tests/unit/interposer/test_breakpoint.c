/* Breakpoints: written where the system lets no page be writable and executable at once, as
 * SELinux may; what the page may do stays as it was. */
#include <stdbool.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "interposer/core/raw.h"
#include "interposer/probe/breakpoint.h"

enum { NOP = 0x90, RETURN = 0xC3, INT3 = 0xCC };
enum end {
	GOOD,
	NO_FILTER,
	NO_PAGE,
	FILTER_IS_IDLE,
	NOT_SET,
	NOT_WRITTEN,
	OTHER_RIGHTS,
	NOT_CLEARED
};

static void never_hit(const void *data, ucontext_t *context)
{
	(void)data;
	(void)context;
}

/* From here on no page of this process becomes writable and executable. */
static bool refuse_both(void)
{
	enum { BOTH = PROT_WRITE | PROT_EXEC };
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, BOTH),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, BOTH, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* What the process may do with the page, as /proc says it: "r-xp". */
static bool has_rights(const void *page, const char *wanted)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4400], rights[5] = "";
	unsigned long start = 0, end = 0;
	bool is_found = false;

	while (maps && !is_found && fgets(line, sizeof(line), maps))
		is_found = sscanf(line, "%lx-%lx %4s", &start, &end, rights) == 3 &&
			   (uintptr_t)page >= start && (uintptr_t)page < end;
	if (maps)
		fclose(maps);
	return is_found && !strcmp(rights, wanted);
}

static enum end set_and_clear(void)
{
	volatile uint8_t *code =
		mmap(NULL, SC_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *page = (void *)(uintptr_t)code;

	if (page == MAP_FAILED)
		return NO_PAGE;
	code[0] = NOP;
	code[1] = RETURN;
	if (mprotect(page, SC_PAGE, PROT_READ | PROT_EXEC))
		return NO_PAGE;
	if (!refuse_both())
		return NO_FILTER;
	if (!mprotect(page, SC_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		return FILTER_IS_IDLE;
	if (!sc_breakpoint_set((uintptr_t)code, never_hit, NULL))
		return NOT_SET;
	if (code[0] != INT3)
		return NOT_WRITTEN;
	if (!has_rights(page, "r-xp"))
		return OTHER_RIGHTS;
	sc_breakpoint_clear_all();
	return code[0] == NOP && has_rights(page, "r-xp") ? GOOD : NOT_CLEARED;
}

TEST(no_page_is_writable_code)
{
	int status = 0;
	pid_t child = fork();

	if (!child)
		_exit(set_and_clear());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), GOOD);
}
