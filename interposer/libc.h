/* Declarations of the libc functions that libc.def names, for whoever expands it. */
#ifndef SC_INTERPOSER_LIBC_H
#define SC_INTERPOSER_LIBC_H

#include <dirent.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Macros of <bits/stdio.h>; here the functions are meant. */
#undef fread_unlocked
#undef fwrite_unlocked

/* The checking twins that _FORTIFY_SOURCE calls; their headers declare them only then. */
ssize_t __read_chk(int fd, void *b, size_t n, size_t m);
ssize_t __pread_chk(int fd, void *b, size_t n, off_t o, size_t m);
ssize_t __pread64_chk(int fd, void *b, size_t n, off64_t o, size_t m);
ssize_t __recv_chk(int fd, void *b, size_t n, size_t m, int f);
ssize_t __recvfrom_chk(int fd, void *b, size_t n, size_t m, int f, struct sockaddr *a,
		       socklen_t *l);
size_t __fread_chk(void *b, size_t m, size_t s, size_t n, FILE *f);
size_t __fread_unlocked_chk(void *b, size_t m, size_t s, size_t n, FILE *f);

/* Newer than the C library that this may be built for. */
void arc4random_buf(void *b, size_t n);

#endif
