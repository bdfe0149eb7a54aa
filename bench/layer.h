/* A way through libraries of small functions (bench/layer.c), each of which calls the next step. */
#pragma once

#define SC_LAYER_FUNCTIONS 64
#define SC_LAYER_STEPS	   48

struct sc_way;

typedef unsigned long sc_layer_function(const struct sc_way *way, unsigned depth);

struct sc_way {
	sc_layer_function *step[SC_LAYER_STEPS];
	unsigned long salt;
};

/* A function of the library; each library exports its own under this name. */
sc_layer_function *sc_layer_function_at(unsigned number);
