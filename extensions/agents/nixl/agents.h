/* Agents of this process, by name: what a transfer to one of them touches is memory of the program
 * on both sides. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The agent at this address got the name that the std::string has. */
void sc_nixl_agents_begin(uint64_t agent, uint64_t string);
void sc_nixl_agents_end(uint64_t agent);
/* True if an agent of this process has the name that the std::string has. */
bool sc_nixl_agents_has(uint64_t string);
/* True if the std::string is empty, or is not readable. */
bool sc_nixl_agents_is_nobody(uint64_t string);
