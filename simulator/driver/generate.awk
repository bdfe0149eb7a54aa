# Turns the driver header and api.def into the exported functions of the simulated driver.
#
# Usage: awk -v mode=decls|exports|missing|names|callbacks -f generate.awk api.def TYPEDEFS META CBIDS
#	HEADER
# META has a struct of the parameters of each call, CBIDS the numbers by which CUPTI knows them.
# HEADER and TYPEDEFS are preprocessed with __CUDA_API_VERSION_INTERNAL, so every symbol of the
# driver's table is declared there under its own name. Every `cu*` function declared in HEADER gets
# an export: a call of sim_<body> if api.def has a row for it, else an answer "not supported".

function trim(text)
{
	gsub(/^[ \t]+|[ \t]+$/, "", text)
	return text
}

# Reads one row API(base, version, symbol, body, twin, twin version, class).
function read_row(line,    text, field, twin)
{
	text = line
	sub(/^API\(/, "", text)
	sub(/\).*$/, "", text)
	split(text, field, ",")
	twin = trim(field[5])
	add_body(trim(field[3]), trim(field[4]), trim(field[7]), 0)
	if (twin != "NONE")
		add_body(trim(field[3]) "_" tolower(twin), trim(field[4]), trim(field[7]), 1)
}

function add_body(symbol, body, class, per_thread)
{
	body_of[symbol] = body
	class_of[symbol] = class
	twin_of[symbol] = per_thread
}

# The arguments' names, to pass them on.
function names(params,    field, count, i, out, name)
{
	if (trim(params) == "void" || trim(params) == "")
		return ""
	count = split(params, field, ",")
	for (i = 1; i <= count; i++) {
		name = trim(field[i])
		sub(/\[[0-9]*\]$/, "", name)
		sub(/^.*[^A-Za-z0-9_]/, "", name)
		out = out (i > 1 ? ", " : "") name
	}
	return out
}

function base_name(symbol)
{
	sub(/_pt[sd][sz]$/, "", symbol)
	sub(/_v[0-9]+$/, "", symbol)
	return symbol
}

# The position of a symbol among its versions: plain name 1, _v2 2, and so on.
function variant(symbol)
{
	sub(/_pt[sd][sz]$/, "", symbol)
	return match(symbol, /_v[0-9]+$/) ? substr(symbol, RSTART + 2) + 0 : 1
}

# The parameters as members of the struct that a tool sees, which it may have changed.
function members(symbol,    i, out)
{
	for (i = 1; i <= member_count[symbol]; i++)
		out = out (i > 1 ? ", " : "") "params." member[symbol, i]
	return out
}

function emit_observed(symbol, params)
{
	print "\tstruct " symbol "_params_st params = {" names(params) "};"
	print "\tstruct sim_call call = {SIM_CLASS_" class_of[symbol] ", " twin_of[symbol] \
		", .symbol = \"" symbol "\","
	print "\t\t.callback = CUPTI_DRIVER_TRACE_CBID_" symbol ", .params = &params};"
	print "\tCUresult sim_result = sim_call_enter(&call);\n"
	print "\tif (sim_result == CUDA_SUCCESS)"
	print "\t\tsim_result = sim_" body_of[symbol] "(" members(symbol) ");"
}

function emit_bare(symbol, params)
{
	print "\tstruct sim_call call = {SIM_CLASS_" class_of[symbol] ", " twin_of[symbol] \
		", .symbol = \"" symbol "\","
	print "\t\t.callback = " (symbol in callback ? "CUPTI_DRIVER_TRACE_CBID_" symbol : 0) "};"
	print "\tCUresult sim_result = sim_call_enter(&call);\n"
	print "\tif (sim_result == CUDA_SUCCESS)"
	print "\t\tsim_result = sim_" body_of[symbol] "(" names(params) ");"
}

function emit_decl(symbol, params)
{
	if (body_of[symbol] == symbol)
		print "CUresult sim_" symbol "(" params ");"
}

function emit_export(symbol, params)
{
	if (!(symbol in body_of)) {
		print "CUresult " symbol "(" params ")\n{\n\treturn sim_call_missing(\"" symbol "\");\n}\n"
		return
	}
	print "CUresult " symbol "(" params ")\n{"
	if (symbol in callback && member_count[symbol])
		emit_observed(symbol, params)
	else
		emit_bare(symbol, params)
	print "\treturn sim_call_leave(&call, sim_result);\n}\n"
}

function emit_missing(symbol,    base, version)
{
	if (symbol in body_of || symbol ~ /_pt[sd][sz]$/)
		return
	base = base_name(symbol)
	version = (base, variant(symbol)) in versions ? versions[base, variant(symbol)] : 2000
	print "MISSING(" base ", " version ", " symbol ", " twin_symbol(symbol) ")"
}

function twin_symbol(symbol)
{
	if (symbol "_ptsz" in declared)
		return symbol "_ptsz"
	return symbol "_ptds" in declared ? symbol "_ptds" : symbol
}

function read_declaration(text,    symbol, params)
{
	match(text, /CUresult[ \t]+cu[A-Z]/)
	text = substr(text, RSTART)
	sub(/^CUresult[ \t]+/, "", text)
	symbol = text
	sub(/[ \t]*\(.*$/, "", symbol)
	params = text
	sub(/^[^(]*\(/, "", params)
	sub(/\)[^)]*$/, "", params)
	if (symbol in declared)
		return
	declared[symbol] = params
	order[++total] = symbol
}

FNR == 1 {
	file++
}

file == 1 && /^API\(/ {
	read_row($0)
}

file == 2 && match($0, /PFN_cu[A-Za-z0-9]+_v[0-9]+\)/) {
	entry = substr($0, RSTART + 4, RLENGTH - 5)
	at = match(entry, /_v[0-9]+$/)
	base = substr(entry, 1, at - 1)
	versions[base, ++count_of[base]] = substr(entry, at + 2) + 0
}

# Members of `struct SYMBOL_params_st`; their names are those of the parameters.
file == 3 && match($0, /struct cu[A-Za-z0-9_]+_params_st/) {
	in_struct = substr($0, RSTART + 7, RLENGTH - 17)
	next
}

file == 3 && /^}/ {
	in_struct = ""
}

file == 3 && in_struct != "" && /;/ {
	field_name = $0
	sub(/(\[[0-9]*\])?;.*$/, "", field_name)
	sub(/^.*[^A-Za-z0-9_]/, "", field_name)
	member[in_struct, ++member_count[in_struct]] = field_name
}

file == 4 && match($0, /CUPTI_DRIVER_TRACE_CBID_cu[A-Za-z0-9_]+/) {
	callback[substr($0, RSTART + 24, RLENGTH - 24)] = 1
}

file == 5 {
	gathered = gathered " " $0
	while ((end = index(gathered, ";")) > 0) {
		statement = substr(gathered, 1, end - 1)
		gathered = substr(gathered, end + 1)
		if (statement ~ /CUresult[ \t]+cu[A-Z][A-Za-z0-9_]*[ \t]*\(/)
			read_declaration(statement)
	}
}

# Versions of one base name in ascending order, so that they pair with plain, _v2, _v3.
function sort_versions(    base, i, j, held)
{
	for (base in count_of)
		for (i = 2; i <= count_of[base]; i++)
			for (j = i; j > 1 && versions[base, j] < versions[base, j - 1]; j--) {
				held = versions[base, j]
				versions[base, j] = versions[base, j - 1]
				versions[base, j - 1] = held
			}
}

END {
	sort_versions()
	for (symbol in body_of)
		if (!(symbol in declared)) {
			print "api.def names " symbol ", which the header does not declare" > "/dev/stderr"
			exit 1
		}
	for (i = 1; i <= total; i++) {
		if (mode == "decls")
			emit_decl(order[i], declared[order[i]])
		else if (mode == "exports")
			emit_export(order[i], declared[order[i]])
		else if (mode == "missing")
			emit_missing(order[i])
		else if (mode == "names")
			print "NAME(" order[i] ")"
		else if (mode == "callbacks" && order[i] in body_of && order[i] in callback)
			print "CALLBACK(" order[i] ")"
	}
}
