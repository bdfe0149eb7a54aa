// The overview: what happened in the run, on a canvas, by the order of the calls or by time; one process or all.
const view = {count: 0, selected: -1, matches: null, transform: null, isTime: false, isAll: false, axis: 26, lane: 24};
const NARROWEST = 200; // nanoseconds that the time line shows at least

// Too many operations to show all: what belongs together may be missing.
function isThinned() {
	return view.ops.parts.some(d => d.process.stride > 1);
}

// Room for the longest name of a lane, but not most of the picture.
function nameRoom() {
	const c = view.canvas.getContext("2d");
	c.font = NAME_FONT;
	const most = Math.max(80, ...view.lanes.map(lane => c.measureText(lane.name).width + 20));
	return Math.round(Math.min(most, 300, 0.42 * view.width));
}

function resize() {
	view.width = Math.max(280, view.canvas.parentElement.clientWidth);
	view.left = nameRoom();
	view.inner = view.width - view.left;
	view.lane = Math.max(LANE_LEAST, Math.min(LANE_MOST, Math.floor(TALL / Math.max(1, view.lanes.length))));
	view.height = view.axis + view.lanes.length * view.lane + 4;
	view.ratio = Math.min(3, devicePixelRatio || 1);
	view.canvas.width = view.width * view.ratio;
	view.canvas.height = view.height * view.ratio;
	view.canvas.style.height = view.height + "px";
	view.zoom.extent([[0, 0], [view.inner, view.height]]).translateExtent([[0, 0], [view.inner, view.height]]);
	d3.select(view.canvas).call(view.zoom.transform, view.transform);
	repaint();
}

// Shows a stretch around a place.
function zoomTo(center, width) {
	const k = Math.min(view.zoom.scaleExtent()[1], Math.max(1, view.extent / width));
	const x = view.inner / 2 - k * center / view.extent * view.inner;
	const limited = Math.min(0, Math.max(view.inner * (1 - k), x));
	d3.select(view.canvas).call(view.zoom.transform, d3.zoomIdentity.translate(limited, 0).scale(k));
}

// When it was called, and when the device worked on it.
function whenText(i) {
	const d = view.ops.parts[view.ops.from[i]], own = view.ops.own[i], span = d.whole.get(own);
	const called = d.hasTimes ? `called ${timeText(d.call[own])} after the first call` : "";
	return [called, span ? `on the device ${timeText(span.start - d.call[own])} after the call, for ${timeText(span.end - span.start)}` : ""].filter(x => x).join(" · ");
}

function findingElement({number, finding, card}) {
	const name = "Finding " + ruleTitle(finding.rule);
	return make("p", null, card ? make("button", {type: "button", class: "button", onclick: () => openFinding(card, "f-" + finding.identity)}, name)
		: link(number, ",f-" + finding.identity, name + " of " + processName(ALL.processes[number])));
}

function describeOperation(i) {
	const k = view.ops.kind[i], record = view.ops.record[i];
	const waits = record >= 0 && !isThinned() ? "waits for the record that is operation " + seqOf(record) : "";
	const around = rangesAround(view.ops.parts[view.ops.from[i]], view.ops.own[i]);
	const facts = [view.isAll ? processName(ALL.processes[k.process]) : "", `operation ${seqOf(i)}`, around && !k.label.endsWith(`in "${around}"`) ? `in "${around}"` : "", `host thread ${k.thread}`, k.place, whenText(i), waits, k.failed ? "failed" : ""];
	byId("operation").replaceChildren(make("p", null, make("strong", null, k.label)),
		make("p", {class: "note"}, facts.filter(x => x).join(" · ")), ...(view.findings.get(i) || []).slice(0, 5).map(findingElement));
}

function select(i, isShown) {
	if (i < 0 || i >= view.count)
		return;
	view.selected = i;
	describeOperation(i);
	const x = xOf(view.start[i]);
	if (isShown && (x < view.left || Math.min(xOf(view.end[i]), x + 40) > view.width))
		d3.select(view.canvas).call(view.zoom.translateTo, (view.start[i] + view.end[i]) / 2 / view.extent * view.inner, 0);
	repaint();
}

function showOperation(seq, other) {
	const i = indexOf(seq, chosen), j = other === null ? i : indexOf(other, chosen);
	if (!view.count)
		return;
	const ends = [i, j].filter(op => op < view.count);
	const first = Math.min(...ends.map(op => view.start[op])), last = Math.max(...ends.map(op => view.end[op]));
	if (ends.length)
		zoomTo((first + last) / 2, Math.max(view.isTime ? 0 : 24, (last - first) * 1.6));
	select(Math.min(i, view.count - 1), false);
	byId("timeline").scrollIntoView();
	view.canvas.focus({preventScroll: true});
}

// The bar under the pointer, or next to it: its operation, or its range.
function barAt(event) {
	const box = view.canvas.getBoundingClientRect(), x = event.clientX - box.left, lane = Math.floor((event.clientY - box.top - view.axis) / view.lane);
	const center = placeAt(x), reach = placeAt(x + 6) - center;
	let best = null, nearest = Infinity;
	for (const row of view.rows) {
		if (row.lane !== lane || x < view.left)
			continue;
		const b = lowerBound(row.start, center + reach, 0, row.n);
		for (let j = Math.max(lowerBound(row.reach, center - reach, 0, row.n), b - 2000); j < b; j++) {
			const far = Math.max(row.start[j] - center, center - row.end[j], 0);
			if (far <= nearest && far <= reach) {
				best = row.ranges ? {range: row.ranges[j]} : {op: row.ops[j]};
				nearest = far;
			}
		}
	}
	return best;
}

function nextMatch(step) {
	for (let n = 1; view.matches && n <= view.count; n++) {
		const i = (Math.max(view.selected, step > 0 ? -1 : 0) + step * n + 2 * view.count) % view.count;
		if (view.matches.has(view.ops.kind[i])) {
			select(i, true);
			return;
		}
	}
}

function nextMarked(step) {
	const next = step > 0 ? view.marked.find(i => i > view.selected) : [...view.marked].reverse().find(i => i < view.selected);
	const wrapped = step > 0 ? view.marked[0] : view.marked[view.marked.length - 1];
	if (view.marked.length)
		select(next === undefined ? wrapped : next, true);
}

function search() {
	const words = byId("find").value.toLowerCase().split(/\s+/).filter(w => w);
	const kinds = view.ops.parts.flatMap(d => d.kinds).filter(k => words.every(word => k.words.includes(word)));
	view.matches = words.length ? new Set(kinds) : null;
	const count = view.matches ? view.ops.kind.filter(k => view.matches.has(k)).length : 0;
	byId("matches").textContent = view.matches ? plural(count, "operation matches", "operations match") : "";
	view.rows.forEach(colorRow);
	repaint();
}

function onKey(event) {
	const canvas = d3.select(view.canvas), step = event.key === "ArrowRight" ? 1 : -1;
	const actions = {
		"+": () => canvas.call(view.zoom.scaleBy, 1.6), "=": () => canvas.call(view.zoom.scaleBy, 1.6),
		"-": () => canvas.call(view.zoom.scaleBy, 1 / 1.6), "0": () => canvas.call(view.zoom.transform, d3.zoomIdentity),
		Home: () => select(0, true), End: () => select(view.count - 1, true),
		n: () => nextMarked(1), p: () => nextMarked(-1), t: () => canShowTime() && show({isTime: !view.isTime, isAll: view.isAll}),
		Enter: () => (view.findings.get(view.selected) || []).filter(f => f.card).slice(0, 1).forEach(f => openFinding(f.card, "f-" + f.finding.identity)),
	};
	actions.ArrowLeft = actions.ArrowRight = () => event.shiftKey
		? canvas.call(view.zoom.translateBy, -step * view.inner / 5 / view.transform.k, 0) : select(view.selected < 0 ? 0 : view.selected + step, true);
	if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey)
		return;
	event.preventDefault();
	actions[event.key]();
}

function canShowTime() {
	return decodeProcess(chosen).hasTimes;
}

// Several processes can be shown together only by time.
function canShowAll() {
	return ALL.processes.length > 1 && ALL.processes.every((p, number) => !p.ops || decodeProcess(number).hasTimes);
}

function chooser(id, name, choices, onchange) {
	return make("label", null, name, make("select", {id, onchange}, ...choices.map(([value, words, isAble]) => make("option", {value, disabled: !isAble}, words))));
}

function makeTools() {
	const canvas = () => d3.select(view.canvas);
	const button = (name, action) => make("button", {type: "button", class: "button", onclick: action}, name);
	const choose = () => show({isTime: byId("scale").value === "time", isAll: ALL.processes.length > 1 && byId("scope").value === "all"});
	return make("div", {class: "tools"},
		chooser("where", "Place of the time line", [["below", "below the findings", true], ["above", "above the findings", true], ["beside", "beside the findings", true]], () => {
			remember("at", byId("where").value);
			placeTimeline();
		}),
		chooser("scale", "Show by", [["order", "order of the calls", true], ["time", "time", canShowTime()]], choose),
		ALL.processes.length > 1 ? chooser("scope", "Processes", [["one", processName(D), true], ["all", `all ${ALL.processes.length}`, canShowAll()]], choose) : null,
		make("label", null, "Search operations", make("input", {type: "search", id: "find", oninput: search, placeholder: "call, kernel, file:line…",
			onkeydown: event => event.key === "Enter" && nextMatch(event.shiftKey ? -1 : 1)})),
		button("Next match", () => nextMatch(1)), button("Zoom in", () => canvas().call(view.zoom.scaleBy, 1.6)),
		button("Zoom out", () => canvas().call(view.zoom.scaleBy, 1 / 1.6)), button("Whole run", () => canvas().call(view.zoom.transform, d3.zoomIdentity)),
		button("Next finding", () => nextMarked(1)), make("span", {id: "matches", role: "status", class: "note"}));
}

function scaleNote() {
	const hasSpans = view.ops.parts.some(d => d.parts.length), error = Math.max(...view.ops.parts.map(d => d.process.error));
	if (!view.isTime)
		return "Columns are operations in the order of their calls, not a time scale." + (canShowTime() ? "" : " The trace has no times.");
	if (!hasSpans)
		return "Calls are shown at the time of the call. Device times were not recorded (device-times=yes records them): work of streams is shown at the time of its call, as a stroke.";
	return `Calls are shown at the time of the call, device work at the time when it ran${error ? ", exact to " + timeText(error) : ""}. A stroke in a stream is work without a device time, shown at the time of its call.`;
}

function timelineNotes() {
	const notes = [scaleNote() + " The wheel zooms once the time line has the focus."];
	for (const d of view.ops.parts.filter(d => d.process.stride > 1))
		notes.push(`${view.isAll ? processName(d.process) + " has" : "The run has"} ${d.process.total.toLocaleString("en")} operations: one of every ${d.process.stride} is shown, and each one that a finding names.`);
	for (const d of view.ops.parts.filter(d => d.process.rangesLeft))
		notes.push(`${plural(d.process.rangesLeft, "range")} of ${isMany() ? processName(d.process) : "the program"} not shown: too many, or nested too deep.`);
	if (view.hiddenLanes)
		notes.push(`${plural(view.hiddenLanes, "lane")} not shown.`);
	if (view.isAll && !isOnOneClock(ALL.processes))
		notes.push("The processes ran on several machines: they are aligned by their wall clocks, exact to a second or two at best.");
	if (ALL.processes.length > 1 && !canShowAll())
		notes.push("Not all processes have times, so they cannot be shown together.");
	return notes.map(note => make("p", {class: "note"}, note));
}

// Shows one process or all, by calls or by time; what was selected stays so.
function show({isTime, isAll}) {
	const at = view.selected >= 0 ? [seqOf(view.selected), view.ops.kind[view.selected].process] : null;
	Object.assign(view, {isTime, isAll, axis: isTime ? 44 : 26, selected: -1});
	arrange();
	byId("scale").value = isTime ? "time" : "order";
	if (ALL.processes.length > 1)
		byId("scope").value = isAll ? "all" : "one";
	view.canvas.setAttribute("aria-label", `Time line of ${plural(view.count, "operation")} in ${plural(view.lanes.length, "lane")}, ${isTime ? "by time" : "by the order of the calls"}`);
	view.zoom.scaleExtent([1, Math.max(1, isTime ? view.extent / NARROWEST : view.count / 6)]);
	view.transform = d3.zoomIdentity;
	byId("timeline-notes").replaceChildren(...timelineNotes());
	resize();
	search();
	if (at && indexOf(...at) < view.count)
		select(indexOf(...at), true);
}

// Below, above or beside the findings, in the order of the page too, for readers who do not see it.
function placeTimeline() {
	const at = choices.at || "below", section = byId("timeline");
	document.body.classList.toggle("beside", at === "beside");
	if (at === "below")
		byId("findings").after(section);
	else
		byId("findings").before(section);
	resize();
}

function listen() {
	d3.select(view.canvas).call(view.zoom).on("dblclick.zoom", null);
	view.canvas.addEventListener("click", event => {
		const bar = barAt(event), cluster = clusterAt(event);
		view.canvas.focus();
		if (cluster)
			openCluster(cluster);
		else if (bar && bar.range)
			describeRange(bar.range);
		else if (bar)
			select(bar.op, false);
	});
	view.canvas.addEventListener("keydown", onKey);
	view.canvas.addEventListener("mousemove", event => {
		const bar = event.buttons ? null : barAt(event), cluster = event.buttons ? null : clusterAt(event);
		view.canvas.style.cursor = cluster ? "pointer" : "";
		view.canvas.title = cluster ? clusterTitle(cluster) : !bar ? "" : bar.range ? bar.range.label : view.ops.kind[bar.op].label;
	});
	view.canvas.parentElement.addEventListener("scroll", repaint);
	addEventListener("resize", resize);
	const recolor = () => { readColors(); repaint(); };
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
	addEventListener("beforeprint", () => { view.isPrinted = true; readColors(); paint(); });
	addEventListener("afterprint", () => { view.isPrinted = false; recolor(); });
}

function startTimeline() {
	const body = byId("timeline-body"), isNamed = /^#p\d/.test(location.hash);
	const [isAll, isTime] = [canShowAll() && !isNamed, canShowTime() && (decodeProcess(chosen).parts.length > 0 || canShowAll() && !isNamed)];
	if (!decodeProcess(chosen).count && !isAll) {
		body.append(make("p", null, "No operation was recorded."));
		return;
	}
	view.canvas = make("canvas", {tabindex: "0", role: "application", "aria-describedby": "keys"});
	const legendItems = [["copy", "copy"], ["fill", "fill"], ["kernel", "kernel"], ["event", "event"], ["wait", "the host waits"], ["access", "host access"], ["host", "other call"], ["error", "failed; ▼ named by a finding, a number: so many of these"],
		...(ALL.processes.some(p => p.ranges) ? [["range", "range that the program named"]] : [])];
	body.append(makeTools(), make("div", {id: "lanes"}, view.canvas),
		make("ul", {class: "legend"}, ...legendItems.map(([color, name]) => make("li", null, make("b", {style: `background:var(--${color})`}), name))),
		make("p", {class: "note", id: "keys"}, "Keys: ← → from operation to operation, Shift with them moves, + and − zoom, 0 shows all, t changes between order and time, n and p go to operations of findings, Enter opens the finding."),
		make("div", {id: "operation", role: "status", "aria-live": "polite"}, make("p", {class: "note"}, "No operation is selected.")), make("div", {id: "timeline-notes"}));
	view.zoom = d3.zoom().filter(() => d3.event.type !== "wheel" ? !d3.event.button : document.activeElement === view.canvas || d3.event.ctrlKey)
		.on("zoom", () => { view.transform = d3.event.transform; repaint(); });
	view.transform = d3.zoomIdentity;
	readColors();
	listen();
	show({isTime, isAll});
	byId("where").value = choices.at || "below";
	placeTimeline();
}
