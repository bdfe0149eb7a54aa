// Paints the overview: lanes, bars, arrows, names, marks of findings, the scale of time.
const LANE_LEAST = 24, LANE_MOST = 40, TALL = 240, NEAR = 800, NAME_FONT = "12px system-ui, sans-serif";

// How light a color is, and how far two are apart, by the definitions of WCAG 2.
function lightness(color) {
	const [r, g, b] = [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16) / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other) {
	const [low, high] = [lightness(one), lightness(other)].sort((a, b) => a - b);
	return (high + 0.05) / (low + 0.05);
}

// The color in which text on another color reads best.
function readableOn(color) {
	return ["#ffffff", "#000000"].sort((a, b) => contrast(color, b) - contrast(color, a))[0];
}

function readColors() {
	const style = getComputedStyle(document.documentElement);
	view.colors = {};
	for (const name of ["copy", "fill", "kernel", "event", "wait", "host", "access", "ink", "soft", "line", "wash", "card", "error", "link", "range"])
		view.colors[name] = style.getPropertyValue("--" + name).trim();
	makePixelColors();
	view.labels = PAINTS.map(paint => readableOn(view.colors[paint]));
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
	return [Math.max(0, Math.floor((box.scrollTop - view.axis) / view.lane)),
		Math.min(view.lanes.length - 1, Math.ceil((box.scrollTop + box.clientHeight - view.axis) / view.lane))];
}

function paintLanes(c, first, last) {
	c.fillStyle = view.colors.card;
	c.fillRect(0, first * view.lane, view.width, (last - first + 1) * view.lane + view.axis + 4);
	for (let i = first; i <= last; i++) {
		if (i % 2 === 0) {
			c.fillStyle = view.colors.wash;
			c.fillRect(0, view.axis + i * view.lane, view.width, view.lane);
		}
	}
}

function paintNames(c, first, last) {
	c.fillStyle = view.colors.card;
	c.fillRect(0, first * view.lane, view.left - 1, (last - first + 1) * view.lane + view.axis + 4);
	c.fillStyle = view.colors.line;
	c.fillRect(view.left - 1, first * view.lane, 1, (last - first + 1) * view.lane + view.axis + 4);
	c.font = NAME_FONT;
	c.textBaseline = "middle";
	c.fillStyle = view.colors.ink;
	for (let i = first; i <= last; i++)
		c.fillText(view.lanes[i].name, 8, view.axis + (i + 0.5) * view.lane, view.left - 16);
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
		c.fillRect(x, 0, 1, view.axis + (last + 1) * view.lane);
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
		const x1 = middleOf(r), x2 = middleOf(i), y1 = view.axis + (view.laneOf[r] + 0.5) * view.lane, y2 = view.axis + (view.laneOf[i] + 0.5) * view.lane;
		c.beginPath();
		c.moveTo(x1, y1);
		c.bezierCurveTo((x1 + x2) / 2, y1, (x1 + x2) / 2, y2, x2, y2);
		c.stroke();
	}
}

function paintLabels(c, row, a, b) {
	c.font = "11px system-ui, sans-serif";
	c.textBaseline = "middle";
	for (let j = a; j < b && !row.isCalls; j++) {
		const x = Math.max(view.left, xOf(row.start[j])), room = xOf(row.end[j]) - x - 8, y = view.axis + row.lane * view.lane;
		if (room < 48)
			continue;
		c.save();
		c.fillStyle = view.labels[row.paint[j]];
		c.beginPath();
		c.rect(x, y, room + 6, view.lane);
		c.clip();
		c.fillText(row.ranges ? row.ranges[j].label : view.ops.kind[row.ops[j]].label, x + 4, y + view.lane / 2);
		c.restore();
	}
}

function paintSelected(c) {
	const i = view.selected;
	if (i < 0 || view.laneOf[i] < 0)
		return;
	c.strokeStyle = view.colors.link;
	c.lineWidth = 3;
	c.strokeRect(xOf(view.start[i]) - 1, view.axis + view.laneOf[i] * view.lane + 2, Math.max(5, xOf(view.end[i]) - xOf(view.start[i]) + 1), view.lane - 4);
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
	paintSelected(c);
	c.restore();
	paintNames(c, first, last);
	view.painted = (view.painted || 0) + 1;
}

function repaint() {
	if (!view.isPending && view.canvas)
		requestAnimationFrame(paint);
	view.isPending = true;
}
