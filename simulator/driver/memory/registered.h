/* Registered memory that has no second mapping (backing.h): it is reached through the program's
 * own.
 *
 * A device has the pages themselves, and keeps them when the program unmaps them: what it writes
 * then nobody sees, least of all what the program maps there next. So pages are marked when they
 * are registered, by a memory policy that says the same as none (MPOL_LOCAL), which ends with their
 * mapping. Of pages that are gone zeros are read, where a device has what was there. A process
 * without the right to set policies, or with one of its own, goes by addresses.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Marks the pages of the range; the mark is never taken away, since ranges may share pages. */
void sim_registered_mark(uintptr_t address, size_t size_bytes);

void sim_registered_read(void *to, uintptr_t from, size_t size_bytes);
void sim_registered_write(uintptr_t to, const void *from, size_t size_bytes);
