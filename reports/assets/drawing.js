// The drawing of a finding: time goes down, each host thread and stream is a lane.
const MARK = {first: 1, second: 2, after: 4, before: 8, nearest: 16};
const EDGE = ["stream", "event", "wait"];
// Where there is room, an operation is a box with its words, below the name of its lane. Elsewhere it is a mark in a narrow lane, and all words stand
// to the right of the lanes: so no part of the drawing, such as the order that is missing, is outside of a small screen.
const WIDE = {column: 264, row: 66, box: 230, boxHeight: 42, head: () => 40};
const NARROW = {column: 34, row: 56, box: 16, boxHeight: 16, head: lanes => 14 + 20 * lanes};
const small = matchMedia("screen and (max-width: 760px)");
let shape = WIDE, headEnd = 0, textAt = 0, textWidth = 0; // of the drawing under way

function nodesOf(finding) {
	return finding.nodes.map(([seq, thread, stream, marks, phrase, place], index) =>
		({index, seq, thread, stream, marks, phrase, place: place || ""}));
}

function laneKey(node) {
	return node.stream ? "s" + node.stream : "t" + node.thread;
}

function lanesOf(nodes) {
	const threads = [...new Set(nodes.map(n => n.thread))].sort((a, b) => a - b);
	const streams = [...new Set(nodes.map(n => n.stream).filter(s => s))].sort((a, b) => a - b);
	return [...threads.map(t => ["t" + t, t ? "host thread " + t : "host"]), ...streams.map(s => ["s" + s, streamName(s)])];
}

// As much of a text as fits into a width, in the font of a class of drawings.
const ruler = document.createElement("canvas").getContext("2d");
const FONT = {plain: '12.5px system-ui, "DejaVu Sans", sans-serif', name: '650 12.5px system-ui, "DejaVu Sans", sans-serif',
	small: "11px " + getComputedStyle(document.documentElement).getPropertyValue("--mono")};

function longest(line, width, font, cut) {
	ruler.font = FONT[font];
	if (ruler.measureText(line).width <= width)
		return line;
	let low = 0, high = line.length;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (ruler.measureText(cut(middle)).width <= width)
			low = middle;
		else
			high = middle - 1;
	}
	return cut(low);
}

function fit(line, width, font) {
	return longest(line, width, font, length => line.slice(0, length).trimEnd() + "…");
}

function fitPlace(place) {
	return longest(place, textWidth, "small", length => "…" + place.slice(place.length - length));
}

function shortPhrase(phrase) {
	return fit(phrase.replace(/(, | of )(the default )?stream \d+.*$/, "").replace(/^kernel (.*?)\(.*$/, "kernel $1"), textWidth, "plain");
}

// What the border of an operation says.
function shade({marks}) {
	return marks & (MARK.first | MARK.second) ? "side" : marks & MARK.nearest ? "nearest" : marks & MARK.after ? "after" : marks & MARK.before ? "before" : "";
}

function drawNode(svg, node, x) {
	const y = headEnd + node.index * shape.row + 14, isWide = shape === WIDE, middle = y + shape.boxHeight / 2;
	const home = x.get("t" + node.thread), center = x.get(laneKey(node));
	if (node.stream) {
		svg.append("path").attr("class", "call").attr("d", `M${home},${middle}H${center + (center > home ? -1 : 1) * shape.box / 2}`);
		svg.append("circle").attr("class", "dot").attr("cx", home).attr("cy", middle).attr("r", 4);
	}
	const group = svg.append("g").attr("class", "node " + shade(node));
	group.append("title").text(node.phrase + (node.place ? "\n" + node.place : ""));
	const words = isWide ? [center - shape.box / 2 + 10, y + (node.place ? 17 : 26), y + 33] : [textAt, y + 13, y + 29];
	group.append("rect").attr("x", center - shape.box / 2).attr("y", y).attr("width", shape.box).attr("height", shape.boxHeight).attr("rx", isWide ? 6 : 3);
	group.append("text").attr("x", words[0]).attr("y", words[1]).text(shortPhrase(node.phrase));
	group.append("text").attr("class", "small").attr("x", words[0]).attr("y", words[2]).text(fitPlace(node.place));
	node.x = center;
	node.y = y;
}

function drawEdge(svg, finding, from, to, kind) {
	const path = d3.path();
	const side = to.x > from.x ? 1 : -1;
	if (from.x === to.x) {
		const x = from.x - (shape === WIDE ? shape.box / 2 - 24 : 0);
		path.moveTo(x, from.y + shape.boxHeight);
		path.lineTo(x, to.y);
	} else {
		const x1 = from.x + side * shape.box / 2, x2 = to.x - side * shape.box / 4, bend = shape === WIDE ? 30 : 12;
		const y1 = from.y + Math.min(12, shape.boxHeight / 2), y2 = to.y;
		path.moveTo(x1, y1);
		path.bezierCurveTo(x1 + side * bend, y1, x2, y2 - bend - 4, x2, y2);
	}
	svg.append("path").attr("class", "edge " + EDGE[kind]).attr("marker-end", `url(#tip-${EDGE[kind]}-${finding.identity})`).attr("d", path.toString());
}

// The four points of the curve from one operation to the other.
function breakCurve(a, b, width) {
	const half = shape.box / 2, y1 = a.y + shape.boxHeight / 2, y2 = b.y + shape.boxHeight / 2;
	if (a.x === b.x) {
		const bend = Math.min(a.x + half + 26, width - 16);
		return [[a.x + half, y1], [bend, y1], [bend, y2], [b.x + half, y2]];
	}
	const side = b.x > a.x ? 1 : -1, x1 = a.x + side * half, x2 = b.x - side * half, bend = shape === WIDE ? 24 : 6;
	return [[x1, y1], [x1 + side * bend, y1], [x2 - side * bend, y2], [x2, y2]];
}

function pointAt(curve, t) {
	const weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
	return [0, 1].map(axis => curve.reduce((sum, point, i) => sum + weights[i] * point[axis], 0));
}

// Where the cross hides no operation: in the middle, or as near to it as there is room.
function crossPoint(curve, nodes) {
	const isFree = ([x, y]) => nodes.every(n => Math.abs(x - n.x) > shape.box / 2 + 8 || y < n.y - 10 || y > n.y + shape.boxHeight + 10);
	const points = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9].map(t => pointAt(curve, t));
	return points.find(isFree) || points[0];
}

// Drawn below the operations; only the cross is drawn above them.
function drawBreak(svg, a, b, nodes, width) {
	const curve = breakCurve(a, b, width), path = d3.path(), [x, y] = crossPoint(curve, nodes);
	path.moveTo(...curve[0]);
	path.bezierCurveTo(...curve[1], ...curve[2], ...curve[3]);
	svg.insert("path", ".node").attr("class", "broken").attr("d", path.toString());
	svg.append("circle").attr("class", "cross").attr("cx", x).attr("cy", y).attr("r", 9);
	svg.append("path").attr("class", "crossmark").attr("d", `M${x - 4},${y - 4}l8,8M${x + 4},${y - 4}l-8,8`);
}

function describe(finding, nodes) {
	const ordinal = node => node.marks & MARK.first ? "the first operation" : node.marks & MARK.second ? "the second operation"
		: node.marks & MARK.after ? "ordered after the first operation" : node.marks & MARK.before ? "ordered before the second operation" : "";
	const words = ["is followed in its stream by", "is waited for by", "is waited for by the host in"];
	const list = make("ol");
	for (const node of nodes) {
		const notes = [ordinal(node), node.marks & MARK.nearest ? "the call that came closest to ordering the two" : ""].filter(n => n);
		list.append(make("li", null, `${node.phrase}${node.place ? " at " + node.place : ""}, called by host thread ${node.thread}`
			+ (notes.length ? " (" + notes.join(", ") + ")" : "")));
	}
	const edges = finding.edges.map(([a, b, kind]) => make("li", null, `${a + 1} ${words[kind]} ${b + 1}`));
	const sides = finding.accesses.length > 1 ? make("p", null, finding.order || "Nothing orders the two.") : null;
	return make("details", null, make("summary", null, "The drawing in words"), list,
		edges.length ? make("ul", null, ...edges) : null, sides);
}

function drawMarkers(svg, finding) {
	const defs = svg.append("defs");
	for (const kind of EDGE) {
		const marker = defs.append("marker").attr("id", `tip-${kind}-${finding.identity}`).attr("viewBox", "0 0 8 8").attr("refX", 7).attr("refY", 4)
			.attr("markerWidth", 7).attr("markerHeight", 7).attr("orient", "auto");
		marker.append("path").attr("d", "M0,0L8,4L0,8Z").style("fill", `var(--${{stream: "soft", event: "event", wait: "copy"}[kind]})`);
	}
}

// The names of narrow lanes stand one below the other, each at the beginning of its lane.
function drawLanes(svg, lanes, x, height) {
	lanes.forEach(([key, name], number) => {
		const isWide = shape === WIDE, y = isWide ? 20 : 16 + 20 * number;
		svg.append("path").attr("class", "lane").attr("d", isWide ? `M${x.get(key)},${headEnd - 8}V${height}` : `M${textAt - 6},${y - 4}H${x.get(key)}V${height}`);
		svg.append("text").attr("class", "name").attr("x", isWide ? x.get(key) : textAt).attr("y", y).attr("text-anchor", isWide ? "middle" : "start")
			.text(fit(name, isWide ? shape.column - 12 : textWidth, "name"));
	});
}

function legend(finding, nodes) {
	const items = [["--error", finding.order !== null ? "the two operations, and the order that is missing" : "the two operations", finding.accesses.length > 1],
		["--after", "ordered after the first operation", nodes.some(n => shade(n) === "after")],
		["--before", "ordered before the second operation", nodes.some(n => shade(n) === "before")],
		["--nearest", "the call that came closest to ordering the two (dashed)", nodes.some(n => shade(n) === "nearest")],
		["--soft", "order within a stream", finding.edges.some(e => e[2] === 0)],
		["--event", "order by an event", finding.edges.some(e => e[2] === 1)],
		["--copy", "the host waits", finding.edges.some(e => e[2] === 2)]];
	return make("ul", {class: "legend"}, ...items.filter(i => i[2]).map(([color, name]) =>
		make("li", null, make("b", {style: `background:var(${color})`}), name)));
}

// As wide as the list of findings on a small screen.
function chooseShape(lanes) {
	shape = small.matches ? NARROW : WIDE;
	headEnd = shape.head(lanes);
	const left = lanes * shape.column + 30, room = byId("list").clientWidth - 66; // less the borders of groups and cards
	textAt = left + 4;
	textWidth = shape === WIDE ? shape.box - 20 : Math.max(120, room - textAt);
	return shape === WIDE ? left : textAt + textWidth;
}

function draw(holder, finding, nodes) {
	const lanes = lanesOf(nodes), width = chooseShape(lanes.length), height = headEnd + nodes.length * shape.row + 10;
	const x = new Map(lanes.map(([key], i) => [key, 15 + shape.column / 2 + i * shape.column]));
	holder.replaceChildren();
	const svg = d3.select(holder).append("svg").attr("class", "drawing").attr("role", "img").attr("width", width)
		.attr("height", height).attr("viewBox", `0 0 ${width} ${height}`)
		.attr("aria-label", "Operations and their order; the drawing in words follows");
	drawMarkers(svg, finding);
	drawLanes(svg, lanes, x, height);
	nodes.forEach(node => drawNode(svg, node, x));
	finding.edges.forEach(([a, b, kind]) => drawEdge(svg, finding, nodes[a], nodes[b], kind));
	const first = nodes.find(n => n.marks & MARK.first), second = nodes.find(n => n.marks & MARK.second);
	if (first && second && first !== second && finding.order !== null)
		drawBreak(svg, first, second, nodes, width);
}

function drawingElement(finding) {
	const nodes = nodesOf(finding);
	if (!nodes.length)
		return null;
	const holder = make("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Drawing"});
	draw(holder, finding, nodes);
	small.addEventListener("change", () => draw(holder, finding, nodes));
	const left = finding.leftOut ? make("p", {class: "note"}, plural(finding.leftOut, "operation") + " of the chains not drawn.") : null;
	const cut = finding.graphCut ? make("p", {class: "note"}, "Too many operations are between the two to examine all of them.") : null;
	return make("div", null, holder, legend(finding, nodes), left, cut, describe(finding, nodes));
}
