// The drawing of a finding: time goes down, each host thread and stream is a lane.
const MARK = {first: 1, second: 2, after: 4, before: 8, nearest: 16};
const EDGE = ["stream", "event", "wait"];
const COLUMN = 264, ROW = 66, BOX = 230, BOX_HEIGHT = 42, HEAD = 40;

function nodesOf(finding) {
	return finding.nodes.map(([seq, thread, stream, marks, phrase, stack], index) =>
		({index, seq, thread, stream, marks, phrase: text(phrase), place: stackPlace(stack)}));
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
	return longest(place, BOX - 20, "small", length => "…" + place.slice(place.length - length));
}

function shortPhrase(phrase) {
	return fit(phrase.replace(/(, | of )(the default )?stream \d+.*$/, "").replace(/^kernel (.*?)\(.*$/, "kernel $1"), BOX - 20, "plain");
}

// What the border of an operation says.
function shade({marks}) {
	return marks & (MARK.first | MARK.second) ? "side" : marks & MARK.nearest ? "nearest" : marks & MARK.after ? "after" : marks & MARK.before ? "before" : "";
}

function drawNode(svg, node, x) {
	const y = HEAD + node.index * ROW + 14;
	const home = x.get("t" + node.thread), center = x.get(laneKey(node));
	if (node.stream) {
		svg.append("path").attr("class", "call").attr("d", `M${home},${y + 21}H${center + (center > home ? -1 : 1) * BOX / 2}`);
		svg.append("circle").attr("class", "dot").attr("cx", home).attr("cy", y + 21).attr("r", 4);
	}
	const group = svg.append("g").attr("class", "node " + shade(node));
	group.append("title").text(node.phrase + (node.place ? "\n" + node.place : ""));
	group.append("rect").attr("x", center - BOX / 2).attr("y", y).attr("width", BOX).attr("height", BOX_HEIGHT).attr("rx", 6);
	group.append("text").attr("x", center - BOX / 2 + 10).attr("y", y + (node.place ? 17 : 26)).text(shortPhrase(node.phrase));
	group.append("text").attr("class", "small").attr("x", center - BOX / 2 + 10).attr("y", y + 33).text(fitPlace(node.place));
	node.x = center;
	node.y = y;
}

function drawEdge(svg, finding, from, to, kind) {
	const path = d3.path();
	const side = to.x > from.x ? 1 : -1;
	if (from.x === to.x) {
		path.moveTo(from.x - BOX / 2 + 24, from.y + BOX_HEIGHT);
		path.lineTo(to.x - BOX / 2 + 24, to.y);
	} else {
		const x1 = from.x + side * BOX / 2, x2 = to.x - side * BOX / 4;
		const y1 = from.y + 12, y2 = to.y;
		path.moveTo(x1, y1);
		path.bezierCurveTo(x1 + side * 30, y1, x2, y2 - 34, x2, y2);
	}
	svg.append("path").attr("class", "edge " + EDGE[kind]).attr("marker-end", `url(#tip-${EDGE[kind]}-${finding.id})`).attr("d", path.toString());
}

// The four points of the curve from one operation to the other.
function breakCurve(a, b, width) {
	const y1 = a.y + 21, y2 = b.y + 21;
	if (a.x === b.x) {
		const bend = Math.min(a.x + BOX / 2 + 26, width - 16);
		return [[a.x + BOX / 2, y1], [bend, y1], [bend, y2], [b.x + BOX / 2, y2]];
	}
	const side = b.x > a.x ? 1 : -1, x1 = a.x + side * BOX / 2, x2 = b.x - side * BOX / 2;
	return [[x1, y1], [x1 + side * 24, y1], [x2 - side * 24, y2], [x2, y2]];
}

function pointAt(curve, t) {
	const weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
	return [0, 1].map(axis => curve.reduce((sum, point, i) => sum + weights[i] * point[axis], 0));
}

// Where the cross hides no operation: in the middle, or as near to it as there is room.
function crossPoint(curve, nodes) {
	const isFree = ([x, y]) => nodes.every(n => Math.abs(x - n.x) > BOX / 2 + 8 || y < n.y - 10 || y > n.y + BOX_HEIGHT + 10);
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
	const sides = finding.sides.length > 1 ? make("p", null, text(finding.order) || "Nothing orders the two.") : null;
	return make("details", null, make("summary", null, "The drawing in words"), list,
		edges.length ? make("ul", null, ...edges) : null, sides);
}

function drawMarkers(svg, finding) {
	const defs = svg.append("defs");
	for (const kind of EDGE) {
		const marker = defs.append("marker").attr("id", `tip-${kind}-${finding.id}`).attr("viewBox", "0 0 8 8").attr("refX", 7).attr("refY", 4)
			.attr("markerWidth", 7).attr("markerHeight", 7).attr("orient", "auto");
		marker.append("path").attr("d", "M0,0L8,4L0,8Z").style("fill", `var(--${{stream: "soft", event: "event", wait: "copy"}[kind]})`);
	}
}

function drawLanes(svg, lanes, x, height) {
	for (const [key, name] of lanes) {
		svg.append("path").attr("class", "lane").attr("d", `M${x.get(key)},${HEAD - 8}V${height}`);
		svg.append("text").attr("class", "name").attr("x", x.get(key)).attr("y", 20).attr("text-anchor", "middle").text(fit(name, COLUMN - 12, "name"));
	}
}

function legend(finding, nodes) {
	const items = [["--error", finding.order !== null ? "the two operations, and the order that is missing" : "the two operations", finding.sides.length > 1],
		["--after", "ordered after the first operation", nodes.some(n => shade(n) === "after")],
		["--before", "ordered before the second operation", nodes.some(n => shade(n) === "before")],
		["--nearest", "the call that came closest to ordering the two (dashed)", nodes.some(n => shade(n) === "nearest")],
		["--soft", "order within a stream", finding.edges.some(e => e[2] === 0)],
		["--event", "order by an event", finding.edges.some(e => e[2] === 1)],
		["--copy", "the host waits", finding.edges.some(e => e[2] === 2)]];
	return make("ul", {class: "legend"}, ...items.filter(i => i[2]).map(([color, name]) =>
		make("li", null, make("b", {style: `background:var(${color})`}), name)));
}

function drawingElement(finding) {
	const nodes = nodesOf(finding);
	if (!nodes.length)
		return null;
	const lanes = lanesOf(nodes);
	const width = lanes.length * COLUMN + 30, height = HEAD + nodes.length * ROW + 10;
	const x = new Map(lanes.map(([key], i) => [key, 15 + COLUMN / 2 + i * COLUMN]));
	const holder = make("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Drawing"});
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
	const left = finding.leftOut ? make("p", {class: "note"}, plural(finding.leftOut, "operation") + " of the chains not drawn.") : null;
	const cut = finding.graphCut ? make("p", {class: "note"}, "Too many operations are between the two to examine all of them.") : null;
	return make("div", null, holder, legend(finding, nodes), left, cut, describe(finding, nodes));
}
