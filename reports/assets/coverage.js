// Coverage: what the recorder saw, what it did not see, and how kernels are known.
function table(caption, heads, rows) {
	return make("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": caption}, make("table", null, make("caption", null, caption),
		make("thead", null, make("tr", null, ...heads.map(head => make("th", {scope: "col"}, head)))),
		make("tbody", null, ...rows.map(row => make("tr", null, ...row.map(cell => make("td", {class: typeof cell === "number" ? "count" : ""},
			typeof cell === "number" ? cell.toLocaleString("en") : cell)))))));
}

// How the bytes of a kernel's launches are known, and why not exactly.
function footprintOf(kernel) {
	return kernel.reason === undefined ? kernel.bytes_known : `${kernel.bytes_known}: ${kernel.reason}`;
}

function startCoverage() {
	const body = byId("coverage-body"), gaps = D.gaps;
	const notes = D.notes.filter(n => n.kind !== "launches"), isWork = n => n.kind !== "lost" && n.value;
	const missing = notes.filter(n => !isWork(n)), works = notes.filter(isWork);
	body.append(gaps.length ? make("ul", null, ...gaps.map(gap => make("li", null, gap))) : make("p", null, "Nothing was lost, and the process ended in an orderly way."));
	body.append(table("Counts", ["What", "Number"], ALL.seen.map(([id, , , about]) => [about, D.coverage[id]])));
	if (works.length || missing.length)
		body.append(table("Sources of events", ["Source", "State"], [...works.map(n => [n.text, "worked"]),
			...missing.map(n => [n.text || "event", n.kind === "lost" ? plural(n.value, "event") + " not seen" : "missing"])]));
	if (D.kernels.length)
		body.append(table("Kernels: the bytes that they touch are " + (D.launches || ""), ["Kernel", "Launches", "Bytes known"],
			D.kernels.map(k => [k.name, k.launches, footprintOf(k)])));
	if (D.lanes.length)
		body.append(table("Streams", ["Stream", "Operations"], D.lanes.map(s => [s.name, s.ops])));
	if (D.sourcesCut)
		body.append(make("p", {class: "note"}, "Some source excerpts were left out to keep this file small."));
}
