// Coverage: what the recorder saw, what it did not see, and how kernels are known.
function table(caption, heads, rows) {
	return make("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": caption}, make("table", null, make("caption", null, caption),
		make("thead", null, make("tr", null, ...heads.map(head => make("th", {scope: "col"}, head)))),
		make("tbody", null, ...rows.map(row => make("tr", null, ...row.map(cell => make("td", {class: typeof cell === "number" ? "count" : ""},
			typeof cell === "number" ? cell.toLocaleString("en") : cell)))))));
}

// How the bytes of a kernel's launches are known, and why not exactly.
function footprintOf(kernel) {
	return kernel.why === null ? text(kernel.known) : `${text(kernel.known)}: ${text(kernel.why)}`;
}

function startCoverage() {
	const body = byId("coverage-body"), gaps = D.gaps;
	const missing = D.notes.filter(n => n.lost || !n.value), works = D.notes.filter(n => !n.lost && n.value);
	body.append(gaps.length ? make("ul", null, ...gaps.map(gap => make("li", null, gap))) : make("p", null, "Nothing was lost, and the process ended in an orderly way."));
	body.append(table("Counts", ["What", "Number"], D.seen.map(([count, , , about]) => [text(about), count])));
	if (works.length || missing.length)
		body.append(table("Sources of events", ["Source", "State"], [...works.map(n => [text(n.text), "worked"]),
			...missing.map(n => [text(n.text) || "event", n.lost ? plural(n.value, "event") + " not seen" : "missing"])]));
	if (D.kernelList.length)
		body.append(table("Kernels: the bytes that they touch are " + text(D.launches), ["Kernel", "Launches", "Bytes known"],
			D.kernelList.map(k => [text(k.name), k.launches, footprintOf(k)])));
	if (D.lanes.length)
		body.append(table("Streams", ["Stream", "Operations"], D.lanes.map(s => [text(s.name), s.ops])));
	if (D.sourcesCut)
		body.append(make("p", {class: "note"}, "Some source excerpts were left out to keep this file small."));
}
