// Paints the overview: lanes, bars, arrows, names, marks of findings, the scale of time.
const LANE_HEIGHT = 24, NEAR = 800, NAME_FONT = "12px system-ui, sans-serif";

function readColors() {
	const style = getComputedStyle(document.documentElement);
	view.colors = {};
	for (const name of ["copy", "fill", "kernel", "event", "wait", "host", "access", "ink", "soft", "line", "wash", "card", "error", "link", "range"])
		view.colors[name] = style.getPropertyValue("--" + name).trim();
	makePixelColors();
}

// From places to pixels and back.
function xOf(place) {
	return view.left + view.transform.applyX(place / view.extent * view.inner);
}

function placeAt(x) {
	return view.transform.invertX(x - view.left) / view.inner * view.extent;
}

function middleOf(i) {
	return (xOf(view.start[i]) + xOf(view.end[i])) / 2;
}

// The lanes that can be seen: the box around the canvas scrolls, except in print.
function visibleLanes() {
	const box = view.canvas.parentElement;
	if (view.isPrinted)
		return [0, view.lanes.length - 1];
	return [Math.max(0, Math.floor((box.scrollTop - view.axis) / LANE_HEIGHT)),
		Math.min(view.lanes.length - 1, Math.ceil((box.scrollTop + box.clientHeight - view.axis) / LANE_HEIGHT))];
}

function paintLanes(c, first, last) {
	c.fillStyle = view.colors.card;
	c.fillRect(0, first * LANE_HEIGHT, view.width, (last - first + 1) * LANE_HEIGHT + view.axis + 4);
	for (let i = first; i <= last; i++) {
		if (i % 2 === 0) {
			c.fillStyle = view.colors.wash;
			c.fillRect(0, view.axis + i * LANE_HEIGHT, view.width, LANE_HEIGHT);
		}
	}
}

function paintNames(c, first, last) {
	c.fillStyle = view.colors.card;
	c.fillRect(0, first * LANE_HEIGHT, view.left - 1, (last - first + 1) * LANE_HEIGHT + view.axis + 4);
	c.fillStyle = view.colors.line;
	c.fillRect(view.left - 1, first * LANE_HEIGHT, 1, (last - first + 1) * LANE_HEIGHT + view.axis + 4);
	c.font = NAME_FONT;
	c.textBaseline = "middle";
	c.fillStyle = view.colors.ink;
	for (let i = first; i <= last; i++)
		c.fillText(view.lanes[i].name, 8, view.axis + (i + 0.5) * LANE_HEIGHT, view.left - 16);
}

// A step of 1, 2 or 5 times a power of ten.
function niceStep(least) {
	const power = 10 ** Math.floor(Math.log10(least));
	return power * [1, 2, 5, 10].find(factor => factor * power >= least);
}

function timeText(ns, step) {
	const size = Math.abs(ns), [unit, name] = size < 1e3 ? [1, "ns"] : size < 1e6 ? [1e3, "µs"] : size < 1e9 ? [1e6, "ms"] : [1e9, "s"];
	return (ns / unit).toFixed(step ? Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)) : unit > 1 ? 1 : 0) + " " + name;
}

function paintScale(c, from, to, last) {
	const step = niceStep(Math.max(1, (to - from) / view.inner * 110));
	c.font = "11px system-ui, sans-serif";
	c.textBaseline = "middle";
	for (let n = Math.ceil(Math.max(0, from) / step); n * step <= Math.min(to, view.extent); n++) {
		const x = Math.round(xOf(n * step));
		c.fillStyle = view.colors.line;
		c.fillRect(x, 0, 1, view.axis + (last + 1) * LANE_HEIGHT);
		c.fillStyle = view.colors.soft;
		c.fillText(timeText(n * step, step), x + 4, 10);
	}
}

function paintArrows(c, from, to) {
	c.strokeStyle = view.colors.event;
	c.lineWidth = 1.5;
	for (const i of view.waits) {
		const r = view.ops.record[i];
		if (isThinned() || Math.min(view.start[r], view.start[i]) > to || Math.max(view.end[r], view.end[i]) < from || view.laneOf[r] < 0 || view.laneOf[i] < 0)
			continue;
		const x1 = middleOf(r), x2 = middleOf(i), y1 = view.axis + (view.laneOf[r] + 0.5) * LANE_HEIGHT, y2 = view.axis + (view.laneOf[i] + 0.5) * LANE_HEIGHT;
		c.beginPath();
		c.moveTo(x1, y1);
		c.bezierCurveTo((x1 + x2) / 2, y1, (x1 + x2) / 2, y2, x2, y2);
		c.stroke();
	}
}

function paintLabels(c, row, a, b) {
	c.font = "11px system-ui, sans-serif";
	c.textBaseline = "middle";
	c.fillStyle = view.colors.card;
	for (let j = a; j < b && !row.isCalls; j++) {
		const x = Math.max(view.left, xOf(row.start[j])), room = xOf(row.end[j]) - x - 8, y = view.axis + row.lane * LANE_HEIGHT;
		if (room < 48)
			continue;
		c.save();
		c.beginPath();
		c.rect(x, y, room + 6, LANE_HEIGHT);
		c.clip();
		c.fillText(row.ranges ? row.ranges[j].label : view.ops.kind[row.ops[j]].label, x + 4, y + LANE_HEIGHT / 2);
		c.restore();
	}
}

function paintMarks(c, from, to) {
	const top = view.axis - 4;
	let last = -9;
	c.fillStyle = view.colors.error;
	for (const {op, place} of view.marks) {
		const x = xOf(place);
		if (place < from || place > to || Math.round(x) === last || view.laneOf[op] < 0)
			continue;
		last = Math.round(x);
		c.beginPath();
		c.moveTo(x, top);
		c.lineTo(x - 5, top - 9);
		c.lineTo(x + 5, top - 9);
		c.fill();
		c.fillRect(Math.floor(x), top - 2, 1, view.laneOf[op] * LANE_HEIGHT + 10);
	}
	const i = view.selected;
	if (i < 0 || view.laneOf[i] < 0)
		return;
	c.strokeStyle = view.colors.link;
	c.lineWidth = 3;
	c.strokeRect(xOf(view.start[i]) - 1, view.axis + view.laneOf[i] * LANE_HEIGHT + 2, Math.max(5, xOf(view.end[i]) - xOf(view.start[i]) + 1), LANE_HEIGHT - 4);
}

function paint() {
	const c = view.canvas.getContext("2d"), from = placeAt(view.left), to = placeAt(view.width), [first, last] = visibleLanes();
	view.isPending = false;
	c.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
	paintLanes(c, first, last);
	c.save();
	c.beginPath();
	c.rect(view.left, 0, view.inner, view.height);
	c.clip();
	if (view.isTime)
		paintScale(c, from, to, last);
	const {single, isNear} = paintRows(c, from, to, first, last);
	if (isNear) {
		paintArrows(c, from, to);
		single.forEach(([row, a, b]) => paintLabels(c, row, a, b));
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
