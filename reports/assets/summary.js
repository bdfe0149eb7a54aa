// The head of the page: the verdict on the run, over all of its processes.
function verdict([advice, warning, error, proven], isComplete) {
	const all = advice + warning + error;
	return proven ? plural(proven, "proven error") : all ? "No proven error, " + plural(all, "finding")
		: isComplete ? "Nothing found" : "Nothing found, but not everything was seen";
}

function verdictOf(process) {
	return verdict(process.counts, process.complete);
}

function isMany() {
	return ALL.processes.length > 1 || Boolean(TOGETHER);
}

function processCount() {
	return TOGETHER ? TOGETHER.processes : ALL.processes.length;
}

function isRunComplete() {
	return TOGETHER ? TOGETHER.complete : ALL.processes.every(process => process.complete);
}

// What stands between a process and the whole truth, as one sentence; "" if nothing does.
function gapText(process) {
	return process.gaps.length ? (process.complete ? "Note: " : "Incomplete: ") + process.gaps.join("; ") : process.complete ? "" : "Incomplete: no operation was recorded.";
}

function gapTexts() {
	const texts = ALL.processes.map(process => [process, gapText(process)]).filter(([, words]) => words);
	const lines = texts.slice(0, 8).map(([process, words]) => isMany() ? `${processName(process)}: ${words}` : words);
	if (TOGETHER && TOGETHER.gaps)
		lines.unshift(`Incomplete: ${TOGETHER.gaps}.`);
	return texts.length > 8 ? [...lines, `And ${plural(texts.length - 8, "process", "processes")} more, see below.`] : lines;
}

// What is counted: its kind, how often, and its name for one and for many.
const COUNTS = ALL.counts || D.counts;

function numbersOf() {
	const sum = of => ALL.processes.reduce((all, process) => all + of(process), 0);
	const allOf = key => TOGETHER ? TOGETHER.groups.reduce((all, group) => all + group[key] * group.processes, 0) : sum(process => process[key] || 0);
	const suppressed = allOf("suppressed"), known = allOf("known"), filtered = allOf("filtered");
	const [advice, warning, error] = COUNTS, hidden = [["", suppressed, "suppressed"], ["", known, "known"], ...(filtered ? [["", filtered, "hidden by filters"]] : [])];
	return [["error", error, "error", "errors"], ["warning", warning, "warning", "warnings"], ["advice", advice, "advice"], ...(hidden.some(([, count]) => count) ? hidden : []),
		...(TOGETHER ? [] : ALL.seen).flatMap(([id, one, many, , isHead]) => isHead ? [["", sum(process => process.coverage[id]), one, many]] : [])];
}

// What a second run made of the findings of a first one.
function verifiedElement(v) {
	const rows = v.findings.map(f => [f.verdict, f.rule + (f.found_rule && f.found_rule !== f.rule ? ", now " + f.found_rule : ""), f.what, f.reason || ""]);
	const most = 200, left = rows.length > most ? make("p", {class: "note"}, `And ${plural(rows.length - most, "more finding")}; the JSON report has all.`) : null;
	return make("details", {class: "verified"}, make("summary", null, `${plural(rows.length, "finding")} of ${v.trace} tried again: `
		+ `${v.proven} proven, ${v.not_decided} not decided, ${v.not_seen} not seen`),
	table("Findings tried again", ["Verdict", "Rule", "Where", "Reason"], rows.slice(0, most)), left);
}

function startSummary() {
	const gaps = gapTexts(), hasProcess = ALL.processes.length > 0, command = D.command || (!hasProcess && TOGETHER.groups.length && TOGETHER.groups[0].command) || "(command not recorded)";
	const words = verdict(COUNTS, isRunComplete()), here = isMany() ? ` in ${plural(processCount(), "process", "processes")}` : "";
	byId("verdict").textContent = words + here;
	byId("command").textContent = !hasProcess ? command : isMany() ? `Findings and coverage in full are those of ${processName(D)} · ${command}` : `${command} · ${processName(D)}`;
	for (const part of isMany() && hasProcess ? ["findings", "coverage"] : [])
		byId(part + "-title").append(`: ${processName(D)}`);
	document.title = words + here + " — streamcheck";
	byId("numbers").append(...numbersOf().map(([kind, count, one, many]) => make("div", {class: "number " + kind + (count && kind ? " some" : "")},
		make("b", null, count.toLocaleString("en")), make("span", null, count === 1 ? one : many || one))));
	byId("gaps").className = gaps.length ? "gap" : "whole";
	byId("gaps").append(...(gaps.length ? gaps.map(gap => make("p", null, gap)) : ["Nothing was lost."]));
	if (D.simulated !== null)
		byId("gaps").after(make("p", {class: "note"}, D.simulated + "."));
	if (D.lineless !== undefined)
		byId("gaps").after(make("p", {class: "note", id: "lineless"}, D.lineless + "."));
	if (D.verified !== undefined)
		byId("gaps").after(verifiedElement(D.verified));
	byId("foot").textContent = `streamcheck ${ALL.version}. This file holds everything it shows and loads nothing.`;
}
