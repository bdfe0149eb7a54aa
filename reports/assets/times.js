// When the two operations of a finding ran in this run: a small drawing on a scale of time.
const TIMES = {width: 780, name: 270, row: 30, bar: 16, head: 26};

// From when to when it happened, counted from the first call of the run, where that is known.
function spanOf({when}) {
	return when && when.from_ns >= D.start ? [when.from_ns - D.start, when.to_ns - D.start] : null;
}

function timesLane(svg, side, i, x) {
	const [start, end] = spanOf(side), y = TIMES.head + i * TIMES.row, group = svg.append("g").attr("class", "node side");
	svg.append("text").attr("class", "name").attr("x", 4).attr("y", y + TIMES.bar - 3).text(fit(side.lane ? streamName(side.lane) : "host thread " + side.thread, TIMES.name - 16, "name"));
	group.append("title").text(side.op);
	group.append("rect").attr("x", x(start)).attr("y", y).attr("width", Math.max(3, x(end) - x(start))).attr("height", TIMES.bar);
}

// Where both ran, shaded from lane to lane.
function timesOverlap(svg, [a, b], x) {
	const from = Math.max(a[0], b[0]), to = Math.min(a[1], b[1]);
	if (to < from || to === from && a[0] !== a[1] && b[0] !== b[1])
		return;
	svg.append("rect").attr("class", "overlap").attr("x", x(from) - 1).attr("y", TIMES.head - 4).attr("width", Math.max(3, x(to) - x(from)) + 2).attr("height", TIMES.row + TIMES.bar + 8);
}

// NULL where it is not known when both ran.
function timesElement(finding) {
	const spans = finding.accesses.map(spanOf);
	if (spans.length < 2 || !spans.every(span => span))
		return null;
	const first = Math.min(...spans.map(s => s[0])), last = Math.max(...spans.map(s => s[1]), first + 1);
	const x = ns => TIMES.name + (ns - first) / (last - first) * (TIMES.width - TIMES.name - 20), height = TIMES.head + 2 * TIMES.row;
	const holder = make("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Times of the two operations"});
	const svg = d3.select(holder).append("svg").attr("class", "drawing times").attr("role", "img").attr("width", TIMES.width).attr("height", height)
		.attr("viewBox", `0 0 ${TIMES.width} ${height}`).attr("aria-label", finding.timing ? finding.timing.text : "");
	timesOverlap(svg, spans, x);
	finding.accesses.forEach((side, i) => timesLane(svg, side, i, x));
	svg.append("text").attr("class", "small").attr("x", TIMES.name).attr("y", 12).text(timeText(first) + " after the first call");
	svg.append("text").attr("class", "small").attr("x", TIMES.width - 20).attr("y", 12).attr("text-anchor", "end").text(timeText(last - first) + " long");
	return make("div", null, make("h4", null, "When they ran"), holder);
}
