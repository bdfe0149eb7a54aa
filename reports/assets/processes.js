// Several processes: which there are, what they have in common, and how to get from one to the other.
function processName(process) {
	return process.rank === null ? "process " + process.id : `rank ${process.rank}, process ${process.id}`;
}

function link(process, hash, name) {
	return make("a", {href: "#p" + (process + 1) + hash, "aria-current": process === chosen && !hash ? "page" : null},
		process === chosen && !hash ? name + " (below)" : name);
}

// Findings of equal fingerprints, with the places at which each process has them.
function commonFindings() {
	const byPrint = new Map();
	ALL.processes.forEach((process, index) => process.findings.forEach(finding => {
		if (!byPrint.has(finding.fingerprint))
			byPrint.set(finding.fingerprint, {severity: finding.severity, confidence: finding.confidence, rule: finding.rule, at: new Map()});
		byPrint.get(finding.fingerprint).at.set(index, finding.identity);
	}));
	const order = ["error", "warning", "advice"];
	return [...byPrint.values()].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity) || b.at.size - a.at.size);
}

// "ranks 0-6, 8-63" of the processes that have ranks.
function rankRanges(indices) {
	const ranks = [...new Set(indices.map(index => ALL.processes[index].rank).filter(rank => rank !== null))].sort((a, b) => a - b);
	const firsts = ranks.filter((rank, i) => !i || ranks[i - 1] !== rank - 1), lasts = ranks.filter((rank, i) => ranks[i + 1] !== rank + 1);
	return firsts.length ? (ranks.length > 1 ? "ranks " : "rank ") + firsts.map((first, i) => first === lasts[i] ? first : `${first}-${lasts[i]}`).join(", ") : "";
}

function commonRow(finding) {
	const links = [...finding.at].slice(0, 16).flatMap(([index, id]) => [link(index, ",f-" + id, processName(ALL.processes[index])), " "]);
	if (finding.at.size > 16)
		links.push(`and ${finding.at.size - 16} more: ${rankRanges([...finding.at.keys()]) || "no ranks"}`);
	return [`${finding.severity} ${ruleTitle(finding.rule)} (${finding.confidence})`, `${finding.at.size} of ${ALL.processes.length}`, make("span", null, ...links)];
}

// Findings by rank: a column for each process, in order of rank, with a link to what that process has of a finding.
function matrix(common) {
	const columns = ALL.processes.map((process, index) => index).sort((a, b) => (ALL.processes[a].rank ?? 1e9) - (ALL.processes[b].rank ?? 1e9));
	const heads = columns.map(index => ALL.processes[index].rank ?? "p" + (index + 1));
	const cell = (finding, index) => finding.at.has(index)
		? make("a", {class: finding.severity, href: `#p${index + 1},f-${finding.at.get(index)}`, "aria-label": "in " + processName(ALL.processes[index])}, "●") : "·";
	const made = table("Findings by rank", ["Finding", ...heads], common.map(finding => [`${finding.severity} ${finding.rule}`, ...columns.map(index => cell(finding, index))]));
	made.classList.add("matrix");
	return made;
}

function startProcesses() {
	addEventListener("hashchange", () => {
		writeChoices();
		if (/^#p\d+/.test(location.hash))
			location.reload();
		else
			openAddressed();
	});
	if (!isMany())
		return;
	for (const part of ["common", "processes"])
		byId(part).hidden = byId("nav-" + part).hidden = false;
	if (TOGETHER)
		startTogether();
	if (!ALL.processes.length)
		return;
	const rows = ALL.processes.map((process, index) => [link(index, "", processName(process)), verdictOf(process),
		process.complete ? "everything was seen" : "incomplete", process.command || "(command not recorded)"]);
	byId("processes-body").append(table(plural(rows.length, "process", "processes") + (TOGETHER ? " in full" : ""), ["Process", "Verdict", "Coverage", "Command"], rows));
	if (TOGETHER)
		return;
	const common = commonFindings();
	byId("common-body").append(common.length ? table(plural(common.length, "finding") + " in " + plural(rows.length, "process", "processes"),
		["Finding", "Processes", "Where"], common.slice(0, 500).map(commonRow)) : make("p", null, "Nothing was found."));
	if (common.length && rows.length <= 64)
		byId("processes-body").append(matrix(common.slice(0, 100)));
}
