/*
 * A driver that does nothing but remember what it was asked: which entry points were requested, and
 * which were called since the last look.
 */
#pragma once

/* The names called since the last look, a blank before each; '+' marks the per-thread form. */
const char *recorder_take(void);

/* True if the entry point was requested with exactly this version and these flags. */
int recorder_was_requested(const char *name, int version, unsigned long long flags);

/* What the driver says of itself when it is started. */
void recorder_pretend(int version, int devices, int is_eager);

/* From now on a function of this name returns the error; NULL for none. */
void recorder_fail(const char *name, int error);
