// Marks of findings above the lanes: those that would overlap are one, with their number; a click zooms in on them.
const MARK_WIDE = 40; // pixels; more than the widest mark

// Half the width of a mark.
function halfOf({count}) {
	return count > 1 ? Math.max(9, shortCount(count).length * 3.7 + 5) : 6;
}

// Marks of many operations stay inside the picture, those of one stand where they are.
function middleOfMark(cluster) {
	const half = halfOf(cluster), middle = (cluster.left + cluster.right) / 2;
	return cluster.count > 1 ? Math.max(view.left + half, Math.min(view.width - half, middle)) : middle;
}

function joinMarks(one, other) {
	const joined = {first: one.first, last: other.last, left: one.left, right: other.right, count: one.count + other.count};
	return {...joined, x: middleOfMark(joined)};
}

// Clusters among the marks from one place to another: first and last index of the sorted marks, and where it is in pixels.
function makeClusters(from, to) {
	const clusters = [], places = view.markPlaces;
	for (let i = lowerBound(places, from, 0, places.length); i < places.length && places[i] <= to; i++) {
		if (view.laneOf[view.marks[i].op] < 0)
			continue;
		const x = xOf(places[i]), before = clusters[clusters.length - 1], one = {first: i, last: i, left: x, right: x, count: 1, x};
		if (before && x - before.right <= 2 * halfOf(one) && x - before.left < MARK_WIDE)
			clusters[clusters.length - 1] = joinMarks(before, one);
		else
			clusters.push(one);
	}
	return clusters.reduce((apart, cluster) => {
		const before = apart[apart.length - 1], isNear = before && cluster.x - before.x < halfOf(before) + halfOf(cluster) + 1;
		return isNear ? [...apart.slice(0, -1), joinMarks(before, cluster)] : [...apart, cluster];
	}, []);
}

function paintOne(c, {x, first}, top) {
	c.beginPath();
	c.moveTo(x, top);
	c.lineTo(x - 6, top - 11);
	c.lineTo(x + 6, top - 11);
	c.fill();
	c.fillRect(Math.floor(x), top - 2, 1, view.laneOf[view.marks[first].op] * view.lane + 10);
}

// At most four characters.
function shortCount(count) {
	return count < 1000 ? String(count) : count < 10000 ? (count / 1000).toFixed(1) + "k" : Math.round(count / 1000) + "k";
}

function paintMany(c, {x, count}, top) {
	const words = shortCount(count), wide = 2 * halfOf({count});
	c.beginPath();
	c.roundRect(x - wide / 2, top - 17, wide, 15, 7);
	c.fill();
	c.fillRect(Math.floor(x), top - 2, 1, 6);
	c.fillStyle = readableOn(view.colors.error);
	c.fillText(words, x, top - 9);
	c.fillStyle = view.colors.error;
}

function paintMarks(c, from, to) {
	view.clusters = makeClusters(from, to);
	c.save();
	c.fillStyle = view.colors.error;
	c.font = "bold 11px system-ui, sans-serif";
	c.textBaseline = "middle";
	c.textAlign = "center";
	for (const cluster of view.clusters)
		(cluster.count > 1 ? paintMany : paintOne)(c, cluster, view.axis - 3);
	c.restore();
}

// The mark below the pointer, if any.
function clusterAt(event) {
	const box = view.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
	if (y > view.axis || y < view.axis - 22 || x < view.left)
		return null;
	return (view.clusters || []).find(cluster => Math.abs(cluster.x - x) <= Math.max(9, halfOf(cluster))) || null;
}

function clusterTitle({count, first}) {
	return count > 1 ? `${plural(count, "operation")} of findings; a click shows them apart` : view.ops.kind[view.marks[first].op].label;
}

// Shows its operations apart, as far as that goes; else the one after the selected one.
function openCluster({first, last}) {
	const marks = view.marks.slice(first, last + 1), from = marks[0].place, to = marks[marks.length - 1].place, before = view.transform.k;
	if (marks.length > 1)
		zoomTo((from + to) / 2, Math.max((to - from) * 1.3, view.extent / view.zoom.scaleExtent()[1]));
	if (marks.length === 1 || view.transform.k <= before * 1.01)
		select(marks[(marks.findIndex(mark => mark.op === view.selected) + 1) % marks.length].op, false);
}
