// What the processes of a run have together, where not all are in this file: of many ranks, and of processes that were read from summaries.
const TOGETHER = ALL.together, COLUMNS = 32; // of the matrix

// "0-6,8-63" as pairs of first and last.
function rangesOf(ranks) {
	return ranks ? ranks.split(",").map(range => range.split("-").map(Number)).map(([first, last]) => [first, last === undefined ? first : last]) : [];
}

// Ranks with the same findings are one column: ranges are cut where a set of ranks begins or ends, and pieces in the same sets are put together.
function rankColumns(all, findings) {
	const sets = [all, ...findings].map(one => rangesOf(one.ranks));
	const cuts = [...new Set(sets.flat().flatMap(([first, last]) => [first, last + 1]))].sort((a, b) => a - b), at = new Map(cuts.map((cut, i) => [cut, i]));
	const marks = cuts.map(() => []), columns = new Map();
	sets.forEach((set, number) => set.forEach(([first, last]) => {
		for (let i = at.get(first); i < at.get(last + 1); i++)
			marks[i].push(number);
	}));
	marks.forEach((inside, i) => {
		if (inside[0] !== 0)
			return;
		const key = inside.join(), column = columns.get(key) || {ranges: [], count: 0, has: new Set(inside.map(number => number - 1))}, before = column.ranges[column.ranges.length - 1];
		if (before && before[1] + 1 === cuts[i])
			before[1] = cuts[i + 1] - 1;
		else
			column.ranges.push([cuts[i], cuts[i + 1] - 1]);
		column.count += cuts[i + 1] - cuts[i];
		columns.set(key, column);
	});
	return [...columns.values()];
}

function columnName({ranges, count}) {
	const words = ranges.slice(0, 3).map(([first, last]) => first === last ? first : `${first}-${last}`).join(", ");
	return ranges.length > 3 ? `${words}, … (${count.toLocaleString("en")} ranks)` : words;
}

// Where findings are shown in full: for each the first process of this file that has it.
function placesInFull() {
	const first = new Map();
	ALL.processes.forEach((process, index) => process.findings.filter(({fingerprint}) => !first.has(fingerprint)).forEach(({fingerprint, identity}) => first.set(fingerprint, {index, href: `#p${index + 1},f-${identity}`})));
	return first;
}

function togetherMatrix() {
	const findings = TOGETHER.findings.filter(finding => finding.ranks !== undefined), left = TOGETHER.found - findings.length, columns = rankColumns(TOGETHER, findings), shown = columns.slice(0, COLUMNS);
	const rows = findings.map((finding, row) => [`${finding.severity} ${finding.rule} ${finding.place || ""}`,
		...shown.map(column => column.has.has(row) ? make("span", {class: finding.severity, role: "img", "aria-label": "found"}, "●") : "·")]);
	const made = table("Findings by rank: ranks with the same findings are one column", ["Finding", ...shown.map(columnName)], rows);
	made.classList.add("matrix", "ranges");
	const more = [...(columns.length > COLUMNS ? [plural(columns.length - COLUMNS, "more group of ranks", "more groups of ranks")] : []),
		...(left ? [plural(left, "more finding")] : [])];
	return more.length ? [made, make("p", {class: "note"}, `Not in this table: ${more.join(" and ")}.`)] : [made];
}

function togetherRow(finding, number, full) {
	const name = ruleTitle(finding.rule);
	const rule = rules.get(finding.rule) || {summary: ""};
	return [make("div", null, make("b", {class: finding.severity}, `${finding.severity} ${name} (${finding.confidence})`), make("div", {class: "note"}, rule.summary)),
		`${finding.processes.toLocaleString("en")} of ${TOGETHER.processes.toLocaleString("en")}`, finding.who || "ranks not known",
		make("div", null, full ? make("a", {href: full.href}, `in full: ${processName(ALL.processes[full.index])}`) : null,
			make("details", {open: !number && !full}, make("summary", null, finding.place || "an unknown place"),
				make("pre", {class: "source code-block", tabindex: "0", role: "group", "aria-label": `Text of finding ${number + 1}`}, finding.text.trimEnd())))];
}

function groupRow({processes, who, errors, warnings, advice, complete, signal, command}) {
	return [who || plural(processes, "process", "processes"), processes, errors, warnings, advice,
		(signal ? "ended by " + signal : "ended by itself") + (complete ? "" : ", incomplete"), command || "(command not recorded)"];
}

// What this file cannot show, and how to get it.
function togetherNote() {
	const all = plural(TOGETHER.processes, "process", "processes"), most = ALL.processes.length;
	return ALL.summarized ? `${plural(ALL.summarized, "process comes", "processes come")} from summaries, which keep findings, ranks and counts, and no time line, stacks, `
		+ "source lines or coverage. streamcheck merge of the traces of a few ranks shows these."
		: `Of ${all} ${most} are in this file in full: the first ranks, and each with a finding that none before it has. The findings of all are in the tables.`;
}

function startTogether() {
	const body = byId("common-body"), {findings, found} = TOGETHER, inFull = placesInFull();
	body.append(make("p", {class: "note", id: "together-note"}, togetherNote()));
	if (findings.length)
		body.append(table(`${plural(found, "finding")} in ${plural(TOGETHER.processes, "process", "processes")}`, ["Finding", "Processes", "Ranks", "Where"], findings.map((finding, number) => togetherRow(finding, number, inFull.get(finding.fingerprint)))));
	if (found > findings.length)
		body.append(make("p", {class: "note"}, `And ${plural(found - findings.length, "more finding")}; the JSON report has all.`));
	if (findings.length && TOGETHER.ranks)
		body.append(...togetherMatrix());
	byId("processes-body").append(table("Processes with equal numbers of findings", ["Processes", "Number", "Errors each", "Warnings each", "Advice each", "End", "Command"], TOGETHER.groups.map(groupRow)));
}
