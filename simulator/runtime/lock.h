/*
 * The one lock of the runtime's slow paths: start-up, registration, module loading, contexts.
 *
 * It is recursive, because loading a driver or a module may register another module. Fast paths
 * (launch, copy, record) take it never. A forked child starts with a fresh, open lock.
 */
#pragma once

void rt_lock(void);
void rt_unlock(void);
