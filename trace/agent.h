/* What the program hands to an agent, and how that ends: `value` of the ops AGENT and AGENT_END. */
#ifndef SC_TRACE_AGENT_H
#define SC_TRACE_AGENT_H

enum sc_agent_ability {
	SC_AGENT_ANY_MEMORY, /* or it did not say */
	SC_AGENT_HOST_ONLY   /* it said that it cannot use device memory */
};

enum sc_agent_end {
	SC_AGENT_COMPLETE,
	SC_AGENT_GIVEN_UP, /* the request was freed: when it is complete nobody is told */
	SC_AGENT_LEFT,	   /* MPI_Finalize: of all */
	SC_AGENT_DESTROYED /* who works on it was destroyed, and nobody asked whether it is complete
			    */
};

#endif
