// Several processes: which there are, what they have in common, and how to get from one to the other.
function processName(process) {
	return process.rank === null ? "process " + process.process : `rank ${process.rank}, process ${process.process}`;
}

function link(process, hash, name) {
	return make("a", {href: "#p" + (process + 1) + hash, "aria-current": process === chosen && !hash ? "page" : null},
		process === chosen && !hash ? name + " (below)" : name);
}

// Findings of equal fingerprints, with the places at which each process has them.
function commonFindings() {
	const byPrint = new Map();
	ALL.processes.forEach((process, index) => process.findings.forEach(finding => {
		if (!byPrint.has(finding.print))
			byPrint.set(finding.print, {severity: process.texts[finding.severity], confidence: process.texts[finding.confidence], rule: finding.rule, at: new Map()});
		byPrint.get(finding.print).at.set(index, finding.id);
	}));
	const order = ["error", "warning", "advice"];
	return [...byPrint.values()].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity) || b.at.size - a.at.size);
}

function commonRow(finding) {
	const links = [...finding.at].slice(0, 16).flatMap(([index, id]) => [link(index, ",f-" + id, processName(ALL.processes[index])), " "]);
	if (finding.at.size > 16)
		links.push(`and ${finding.at.size - 16} more`);
	return [`${finding.severity} ${ruleTitle(finding.rule)} (${finding.confidence})`, `${finding.at.size} of ${ALL.processes.length}`, make("span", null, ...links)];
}

function startProcesses() {
	addEventListener("hashchange", () => {
		writeChoices();
		if (/^#p\d+/.test(location.hash))
			location.reload();
		else
			openAddressed();
	});
	if (ALL.processes.length < 2)
		return;
	const rows = ALL.processes.map((process, index) => [link(index, "", processName(process)), verdictOf(process),
		process.complete ? "everything was seen" : "incomplete", process.command || "(command not recorded)"]);
	const common = commonFindings();
	byId("processes").hidden = false;
	byId("nav-processes").hidden = false;
	byId("processes-body").append(table(plural(rows.length, "process", "processes"), ["Process", "Verdict", "Coverage", "Command"], rows));
	if (common.length)
		byId("processes-body").append(table("Findings of all processes", ["Finding", "Processes", "Where"], common.slice(0, 500).map(commonRow)));
}
