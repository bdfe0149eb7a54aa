// The overview: every shown operation in program order, one column each, on a canvas.
const CLASS_ENQUEUE = 2, CLASS_WAIT = 3, PHASE_BEGIN = 1, PHASE_END = 2;
const LANE_HEIGHT = 24, AXIS = 22, NEAR = 400, LANES_MAX = 400;
const PAINT = {copy: "copy", set: "fill", kernel: "kernel", record: "event", wait: "event", host_read: "access", host_write: "access", host_free: "access"};
const view = {count: 0, selected: -1, matches: null, transform: null};

// The numbers of a text in base64: seven bits a byte, the lowest first.
function decodeNumbers(encoded) {
	const bytes = atob(encoded), numbers = [];
	let value = 0, scale = 1;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes.charCodeAt(at);
		value += (byte & 127) * scale;
		scale *= 128;
		if (byte < 128) {
			numbers.push(value);
			value = 0;
			scale = 1;
		}
	}
	return numbers;
}

function decodeOps() {
	const numbers = decodeNumbers(D.ops), spans = decodeNumbers(D.spans), seqs = [], shapes = [];
	for (let i = 0, seq = 0; i < numbers.length; i += 2) {
		seq += numbers[i];
		seqs.push(seq);
		shapes.push(numbers[i + 1]);
	}
	view.spans = new Map();
	for (let i = 0, op = 0; i < spans.length; i += 3) {
		op += spans[i];
		view.spans.set(op, {waited: spans[i + 1], took: spans[i + 2]});
	}
	view.count = seqs.length;
	view.seq = Float64Array.from(seqs);
	view.shape = Uint32Array.from(shapes);
}

function makeLanes() {
	view.lanes = [...D.threads.map(t => ({key: "t" + t.id, name: "host thread " + t.id})), ...D.lanes.map(s => ({key: "s" + s.id, name: text(s.name)}))];
	view.hiddenLanes = Math.max(0, view.lanes.length - LANES_MAX);
	view.lanes.length = Math.min(view.lanes.length, LANES_MAX);
	const index = new Map(view.lanes.map((lane, i) => [lane.key, i]));
	view.kinds = D.shapes.map(([kind, group, phase, thread, stream, object, failed, label, place]) => ({
		kind: text(kind), group, phase, thread, stream, object, failed, label: text(label), place: text(place),
		home: index.has("t" + thread) ? index.get("t" + thread) : -1,
		lane: group === CLASS_ENQUEUE && stream && index.has("s" + stream) ? index.get("s" + stream) : index.has("t" + thread) ? index.get("t" + thread) : -1,
		paint: group === CLASS_WAIT ? "wait" : PAINT[text(kind)] || "host",
		words: (text(kind) + "\n" + text(label) + "\n" + text(place)).toLowerCase(),
	}));
}

// Begin and end of waits, and the record that each wait for an event refers to.
function linkOps() {
	view.partner = new Int32Array(view.count).fill(-1);
	view.record = new Int32Array(view.count).fill(-1);
	const open = new Map(), records = new Map();
	for (let i = 0; i < view.count; i++) {
		const k = view.kinds[view.shape[i]];
		if (k.phase === PHASE_BEGIN)
			open.set(k.thread + k.kind, i);
		else if (k.phase === PHASE_END && open.has(k.thread + k.kind))
			view.partner[open.get(k.thread + k.kind)] = i;
		if (k.kind === "record")
			records.set(k.object, i);
		else if (k.kind === "wait" || k.kind === "event_sync")
			view.record[i] = records.has(k.object) ? records.get(k.object) : -1;
	}
}

function indexOf(seq) {
	let low = 0, high = view.count;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (view.seq[middle] < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

function markFindings() {
	view.findings = new Map();
	for (const card of cards)
		for (const side of card.finding.sides) {
			const i = indexOf(side.seq);
			if (view.seq[i] === side.seq)
				view.findings.set(i, [...(view.findings.get(i) || []), card]);
		}
	view.marked = [...view.findings.keys()].sort((a, b) => a - b);
}

function readColors() {
	const style = getComputedStyle(document.documentElement);
	view.colors = {};
	for (const name of ["copy", "fill", "kernel", "event", "wait", "host", "access", "ink", "soft", "line", "wash", "card", "error", "link"])
		view.colors[name] = style.getPropertyValue("--" + name).trim();
	makePixelColors();
}

function xOf(i) {
	return view.left + view.transform.applyX(i / view.count * view.inner);
}

function visibleRange() {
	const at = x => view.transform.invertX(x) / view.inner * view.count;
	return [Math.max(0, Math.floor(at(0)) - 1), Math.min(view.count, Math.ceil(at(view.inner)) + 1)];
}

// The lanes that can be seen: the box around the canvas scrolls, except in print.
function visibleLanes() {
	const box = view.canvas.parentElement;
	if (view.isPrinted)
		return [0, view.lanes.length - 1];
	return [Math.max(0, Math.floor((box.scrollTop - AXIS) / LANE_HEIGHT)),
		Math.min(view.lanes.length - 1, Math.ceil((box.scrollTop + box.clientHeight - AXIS) / LANE_HEIGHT))];
}

function paintLanes(c, first, last) {
	c.fillStyle = view.colors.card;
	c.fillRect(0, first * LANE_HEIGHT, view.width, (last - first + 1) * LANE_HEIGHT + AXIS + 4);
	for (let i = first; i <= last; i++) {
		if (i % 2 === 0) {
			c.fillStyle = view.colors.wash;
			c.fillRect(0, AXIS + i * LANE_HEIGHT, view.width, LANE_HEIGHT);
		}
	}
}

function paintNames(c, first, last) {
	c.fillStyle = view.colors.card;
	c.fillRect(0, first * LANE_HEIGHT, view.left - 1, (last - first + 1) * LANE_HEIGHT + AXIS + 4);
	c.fillStyle = view.colors.line;
	c.fillRect(view.left - 1, first * LANE_HEIGHT, 1, (last - first + 1) * LANE_HEIGHT + AXIS + 4);
	c.font = "12px system-ui, sans-serif";
	c.textBaseline = "middle";
	c.fillStyle = view.colors.ink;
	for (let i = first; i <= last; i++)
		c.fillText(view.lanes[i].name, 8, AXIS + (i + 0.5) * LANE_HEIGHT, view.left - 16);
}

function paintArrows(c, from, to) {
	c.strokeStyle = view.colors.event;
	c.lineWidth = 1.5;
	for (let i = from; i < to; i++) {
		const r = view.record[i];
		if (r < 0 || D.stride > 1)
			continue;
		const x1 = (xOf(r) + xOf(r + 1)) / 2, x2 = (xOf(i) + xOf(i + 1)) / 2;
		const y1 = AXIS + (view.kinds[view.shape[r]].lane + 0.5) * LANE_HEIGHT, y2 = AXIS + (view.kinds[view.shape[i]].lane + 0.5) * LANE_HEIGHT;
		c.beginPath();
		c.moveTo(x1, y1);
		c.bezierCurveTo((x1 + x2) / 2, y1, (x1 + x2) / 2, y2, x2, y2);
		c.stroke();
	}
}

function paintLabels(c, from, to) {
	c.font = "11px system-ui, sans-serif";
	c.textBaseline = "middle";
	c.fillStyle = view.colors.card;
	for (let i = from; i < to; i++) {
		const k = view.kinds[view.shape[i]], room = xOf(view.partner[i] >= 0 ? view.partner[i] + 1 : i + 1) - xOf(i) - 8;
		if (room < 48 || k.lane < 0 || k.phase === PHASE_END && k.group === CLASS_WAIT)
			continue;
		c.save();
		c.beginPath();
		c.rect(xOf(i), AXIS + k.lane * LANE_HEIGHT, room + 6, LANE_HEIGHT);
		c.clip();
		c.fillText(k.label, xOf(i) + 4, AXIS + (k.lane + 0.5) * LANE_HEIGHT);
		c.restore();
	}
}

function paintMarks(c, from, to) {
	let last = -9;
	c.fillStyle = view.colors.error;
	for (let m = lowerBound(view.marked, from, 0, view.marked.length); m < view.marked.length && view.marked[m] < to; m++) {
		const i = view.marked[m];
		const x = (xOf(i) + xOf(i + 1)) / 2, k = view.kinds[view.shape[i]];
		if (Math.round(x) === last || k.lane < 0)
			continue;
		last = Math.round(x);
		c.beginPath();
		c.moveTo(x, AXIS - 4);
		c.lineTo(x - 5, AXIS - 13);
		c.lineTo(x + 5, AXIS - 13);
		c.fill();
		c.fillRect(Math.floor(x), AXIS - 6, 1, k.lane * LANE_HEIGHT + 10);
	}
	const i = view.selected, k = i >= 0 ? view.kinds[view.shape[i]] : null;
	if (!k || k.lane < 0)
		return;
	c.strokeStyle = view.colors.link;
	c.lineWidth = 3;
	c.strokeRect(xOf(i) - 1, AXIS + k.lane * LANE_HEIGHT + 2, Math.max(5, xOf(view.partner[i] >= 0 ? view.partner[i] + 1 : i + 1) - xOf(i) + 1), LANE_HEIGHT - 4);
}

function paint() {
	const c = view.canvas.getContext("2d"), [from, to] = visibleRange(), [first, last] = visibleLanes();
	view.isPending = false;
	c.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
	paintLanes(c, first, last);
	c.save();
	c.beginPath();
	c.rect(view.left, 0, view.inner, view.height);
	c.clip();
	paintRows(c, from, to, first, last);
	if (to - from < NEAR) {
		paintArrows(c, from, Math.min(view.count, to + NEAR));
		paintLabels(c, from, to);
	}
	paintMarks(c, from, to);
	c.restore();
	paintNames(c, first, last);
	view.painted = (view.painted || 0) + 1;
}

function repaint() {
	if (!view.isPending && view.canvas)
		requestAnimationFrame(paint);
	view.isPending = true;
}

function resize() {
	view.width = Math.max(280, view.canvas.parentElement.clientWidth);
	view.left = view.width < 600 ? 96 : 180;
	view.inner = view.width - view.left;
	view.height = AXIS + view.lanes.length * LANE_HEIGHT + 4;
	view.ratio = Math.min(3, devicePixelRatio || 1);
	view.canvas.width = view.width * view.ratio;
	view.canvas.height = view.height * view.ratio;
	view.canvas.style.height = view.height + "px";
	view.zoom.extent([[0, 0], [view.inner, view.height]]).translateExtent([[0, 0], [view.inner, view.height]]);
	d3.select(view.canvas).call(view.zoom.transform, view.transform);
	repaint();
}

// Shows `width` operations around a place.
function zoomTo(center, width) {
	const k = Math.min(view.zoom.scaleExtent()[1], Math.max(1, view.count / width));
	const x = view.inner / 2 - k * (center + 0.5) / view.count * view.inner;
	const limited = Math.min(0, Math.max(view.inner * (1 - k), x));
	d3.select(view.canvas).call(view.zoom.transform, d3.zoomIdentity.translate(limited, 0).scale(k));
}

function timeText(ns) {
	const [unit, name] = ns < 1e3 ? [1, "ns"] : ns < 1e6 ? [1e3, "µs"] : ns < 1e9 ? [1e6, "ms"] : [1e9, "s"];
	return (ns / unit).toFixed(unit > 1 ? 1 : 0) + " " + name;
}

function spanText(i) {
	const span = view.spans.get(i);
	return span ? `on the device ${timeText(span.waited)} after the call, for ${timeText(span.took)}` : "";
}

function tell(i) {
	const k = view.kinds[view.shape[i]], box = byId("operation");
	const found = view.findings.get(i) || [];
	const waits = view.record[i] >= 0 && D.stride === 1 ? "waits for the record that is operation " + view.seq[view.record[i]] : "";
	box.replaceChildren(make("p", null, make("strong", null, k.label)),
		make("p", {class: "note"}, [`operation ${view.seq[i]}`, `host thread ${k.thread}`, k.place, spanText(i), waits, k.failed ? "failed" : ""].filter(x => x).join(" · ")),
		...found.slice(0, 5).map(card => make("p", null, make("button", {type: "button", class: "button", onclick: () => openFinding(card)},
			"Finding " + ruleTitle(card.finding.rule)))));
}

function select(i, isShown) {
	if (i < 0 || i >= view.count)
		return;
	view.selected = i;
	tell(i);
	const x = xOf(i);
	if (isShown && (x < view.left || xOf(i + 1) > view.width))
		d3.select(view.canvas).call(view.zoom.translateTo, (i + 0.5) / view.count * view.inner, 0);
	repaint();
}

function showOperation(seq, other) {
	const i = indexOf(seq), j = other === null ? i : indexOf(other);
	if (!view.count)
		return;
	zoomTo((i + j) / 2, Math.max(24, Math.abs(j - i) * 1.6));
	select(Math.min(i, view.count - 1), false);
	byId("timeline").scrollIntoView();
	view.canvas.focus({preventScroll: true});
}

function opAt(event) {
	const box = view.canvas.getBoundingClientRect();
	const x = event.clientX - box.left - view.left, lane = Math.floor((event.clientY - box.top - AXIS) / LANE_HEIGHT);
	const center = view.transform.invertX(x) / view.inner * view.count, reach = Math.max(1, 6 / view.transform.k / view.inner * view.count);
	let best = -1;
	for (let i = Math.max(0, Math.floor(center - reach)); i <= Math.min(view.count - 1, Math.ceil(center + reach)); i++) {
		const k = view.kinds[view.shape[i]];
		if ((k.lane === lane || k.home === lane) && (best < 0 || Math.abs(i + 0.5 - center) < Math.abs(best + 0.5 - center)))
			best = i;
	}
	return best;
}

function nextMatch(step) {
	for (let n = 1; view.matches && n <= view.count; n++) {
		const i = (Math.max(view.selected, step > 0 ? -1 : 0) + step * n + 2 * view.count) % view.count;
		if (view.matches[view.shape[i]]) {
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

function search(event) {
	const words = event.target.value.toLowerCase().split(/\s+/).filter(w => w);
	view.matches = words.length ? view.kinds.map(k => words.every(word => k.words.includes(word))) : null;
	let count = 0;
	for (let i = 0; view.matches && i < view.count; i++)
		count += view.matches[view.shape[i]];
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
		n: () => nextMarked(1), p: () => nextMarked(-1),
		Enter: () => (view.findings.get(view.selected) || []).slice(0, 1).forEach(openFinding),
	};
	actions.ArrowLeft = actions.ArrowRight = () => event.shiftKey
		? canvas.call(view.zoom.translateBy, -step * view.inner / 5 / view.transform.k, 0) : select(view.selected < 0 ? 0 : view.selected + step, true);
	if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey)
		return;
	event.preventDefault();
	actions[event.key]();
}

function makeTools() {
	const canvas = () => d3.select(view.canvas);
	const button = (name, action) => make("button", {type: "button", class: "button", onclick: action}, name);
	return make("div", {class: "tools"},
		make("label", null, "Search operations", make("input", {type: "search", id: "find", oninput: search, placeholder: "call, kernel, file:line…",
			onkeydown: event => event.key === "Enter" && nextMatch(event.shiftKey ? -1 : 1)})),
		button("Next match", () => nextMatch(1)), button("Zoom in", () => canvas().call(view.zoom.scaleBy, 1.6)),
		button("Zoom out", () => canvas().call(view.zoom.scaleBy, 1 / 1.6)), button("Whole run", () => canvas().call(view.zoom.transform, d3.zoomIdentity)),
		button("Next finding", () => nextMarked(1)), make("span", {id: "matches", role: "status", class: "note"}));
}

function timelineNotes() {
	const notes = ["Columns are operations in the order in which they were called; this is no time scale. The wheel zooms once the time line has the focus."];
	if (D.stride > 1)
		notes.push(`The run has ${D.total.toLocaleString("en")} operations: one of every ${D.stride} is shown, and each one that a finding names.`);
	if (view.hiddenLanes)
		notes.push(`${plural(view.hiddenLanes, "lane")} not shown.`);
	return notes.map(note => make("p", {class: "note"}, note));
}

function startTimeline() {
	decodeOps();
	makeLanes();
	linkOps();
	makeRows();
	markFindings();
	const body = byId("timeline-body");
	if (!view.count) {
		body.append(make("p", null, "No operation was recorded."));
		return;
	}
	view.transform = d3.zoomIdentity;
	view.canvas = make("canvas", {tabindex: "0", role: "application", "aria-label": `Time line of ${plural(view.count, "operation")} in ${plural(view.lanes.length, "lane")}`, "aria-describedby": "keys"});
	const legendItems = [["copy", "copy"], ["fill", "fill"], ["kernel", "kernel"], ["event", "event"], ["wait", "the host waits"], ["access", "host access"], ["host", "other call"], ["error", "failed; ▼ named by a finding"]];
	body.append(makeTools(), make("div", {id: "lanes"}, view.canvas),
		make("ul", {class: "legend"}, ...legendItems.map(([color, name]) => make("li", null, make("b", {style: `background:var(--${color})`}), name))),
		make("p", {class: "note", id: "keys"}, "Keys: ← → from operation to operation, Shift with them moves, + and − zoom, 0 shows all, n and p go to operations of findings, Enter opens the finding."),
		make("div", {id: "operation", role: "status", "aria-live": "polite"}, make("p", {class: "note"}, "No operation is selected.")), ...timelineNotes());
	view.zoom = d3.zoom().scaleExtent([1, Math.max(1, view.count / 6)])
		.filter(() => d3.event.type !== "wheel" ? !d3.event.button : document.activeElement === view.canvas || d3.event.ctrlKey)
		.on("zoom", () => { view.transform = d3.event.transform; repaint(); });
	d3.select(view.canvas).call(view.zoom).on("dblclick.zoom", null);
	view.canvas.addEventListener("click", event => { view.canvas.focus(); select(opAt(event), false); });
	view.canvas.addEventListener("keydown", onKey);
	view.canvas.addEventListener("mousemove", event => {
		const i = event.buttons ? -1 : opAt(event);
		view.canvas.title = i < 0 ? "" : view.kinds[view.shape[i]].label;
	});
	view.canvas.parentElement.addEventListener("scroll", repaint);
	readColors();
	resize();
	addEventListener("resize", resize);
	const recolor = () => { readColors(); repaint(); };
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
	addEventListener("beforeprint", () => { view.isPrinted = true; readColors(); paint(); });
	addEventListener("afterprint", () => { view.isPrinted = false; recolor(); });
}
