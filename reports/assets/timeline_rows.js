// The rows of the overview: the bars of each lane, sorted by place, and one color a column of pixels where they crowd.
const PAINTS = ["line", "host", "event", "wait", "access", "fill", "copy", "kernel", "error", "range"], DIM = 0, WORK = 5, FAILED = 8, RANGE = 9;
const CROWD = 8; // fewer pixels than this a bar: the row is painted as columns

// What a bar looks like: the index of its paint.
function paintOf(i) {
	const k = view.ops.kind[i];
	return view.matches && !view.matches.has(k) ? DIM : k.failed ? FAILED : PAINTS.indexOf(k.paint);
}

// Bars are objects with start, end, and op or, in lanes of ranges, range.
function makeRow(lane, isCalls, bars) {
	const n = bars.length, row = {lane, isCalls, n, ops: new Int32Array(n), start: new Float64Array(n), end: new Float64Array(n), reach: new Float64Array(n),
		paint: new Uint8Array(n), sums: PAINTS.map(() => new Uint32Array(n + 1))};
	bars.sort((a, b) => a.start - b.start);
	row.ranges = n && bars[0].range ? bars.map(bar => bar.range) : null;
	for (let j = 0, reach = 0; j < n; j++) {
		row.ops[j] = bars[j].op;
		row.start[j] = bars[j].start;
		row.end[j] = bars[j].end;
		row.reach[j] = reach = Math.max(reach, row.end[j]);
	}
	return row;
}

// Colors, and how many bars of each come before every bar.
function colorRow(row) {
	for (let j = 0; j < row.n; j++)
		row.paint[j] = row.isCalls ? DIM : row.ranges ? RANGE : paintOf(row.ops[j]);
	for (let p = 0; p < PAINTS.length; p++)
		for (let j = 0, sum = row.sums[p], count = 0; j < row.n; j++) {
			count += row.paint[j] === p;
			sum[j + 1] = count;
		}
}

// First index from `low` on at which the sorted numbers are at least `value`.
function lowerBound(numbers, value, low, high) {
	while (low < high) {
		const middle = (low + high) >> 1;
		if (numbers[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// The paint of most bars from a to b, among the paints from `first` on and below `end`; DIM if there are none.
function mostPaint(row, a, b, first, end) {
	let best = DIM, most = 0;
	for (let p = first; p < end; p++) {
		const count = row.sums[p][b] - row.sums[p][a];
		if (count > most) {
			most = count;
			best = p;
		}
	}
	return best;
}

// One paint for the bars from a to b: a failed call shows however few there are, then work, then other calls.
function commonPaint(row, a, b) {
	if (b - a === 1)
		return row.paint[a];
	if (row.ranges)
		return RANGE;
	if (row.sums[FAILED][b] > row.sums[FAILED][a])
		return FAILED;
	return mostPaint(row, a, b, WORK, FAILED) || mostPaint(row, a, b, 1, WORK);
}

// Writes the colors of a row's columns. `from` is the place of the left edge, `step` the width of a column.
function rasterRow(row, out, offset, columns, from, step) {
	let a = lowerBound(row.start, from, 0, row.n);
	for (let c = 0; c < columns; c++) {
		const edge = from + (c + 1) * step;
		let b = a;
		if (b < row.n && row.start[b] < edge) {
			let stride = 1;
			while (b + stride < row.n && row.start[b + stride] < edge)
				stride *= 2;
			b = lowerBound(row.start, edge, b + (stride >> 1), Math.min(row.n, b + stride));
		}
		if (b > a)
			out[offset + c] = view.words[commonPaint(row, a, b)];
		else if (a > 0 && row.reach[a - 1] > edge - step)
			out[offset + c] = view.words[row.paint[a - 1]];
		a = b;
	}
}

// Calls are thin strokes, other bars leave a little room between lanes.
function insetOf(row) {
	return row.isCalls ? Math.floor((view.lane - 6) / 2) : 4;
}

function paintBars(c, row, a, b) {
	const y = view.axis + row.lane * view.lane + insetOf(row), height = view.lane - 2 * insetOf(row);
	for (let j = a; j < b; j++) {
		const x = Math.max(-9, xOf(row.start[j])), wide = Math.min(view.width + 9, xOf(row.end[j])) - x;
		c.fillStyle = view.colors[PAINTS[row.paint[j]]];
		c.fillRect(x, y, Math.max(view.isTime ? 2 : 1, row.isCalls ? Math.min(wide - 1, 8) : wide - (wide > 4 ? 1 : 0)), height);
	}
}

// Crowded rows go through one small image, a line of pixels each, which is stretched to their height.
function paintCrowded(c, crowded) {
	const columns = Math.ceil(view.inner * view.ratio), step = view.extent / (view.transform.k * columns), height = view.rows.length;
	if (!view.image || view.image.width !== columns || view.image.height !== height) {
		view.image = new ImageData(columns, height);
		view.pixels = new Uint32Array(view.image.data.buffer);
		view.strip = document.createElement("canvas");
		view.strip.width = columns;
		view.strip.height = height;
	}
	const strip = view.strip.getContext("2d");
	view.pixels.fill(0, 0, crowded.length * columns);
	crowded.forEach((row, line) => rasterRow(row, view.pixels, line * columns, columns, placeAt(view.left), step));
	strip.putImageData(view.image, 0, 0, 0, 0, columns, crowded.length);
	c.imageSmoothingEnabled = false;
	crowded.forEach((row, line) => c.drawImage(view.strip, 0, line, columns, 1,
		view.left, view.axis + row.lane * view.lane + insetOf(row), columns / view.ratio, view.lane - 2 * insetOf(row)));
}

// Returns what was painted bar by bar: rows, each with its first bar and the one after the last.
function paintRows(c, from, to, firstLane, lastLane) {
	const crowded = [], single = [];
	for (const row of view.rows) {
		if (!row.n || row.lane < firstLane || row.lane > lastLane)
			continue;
		const a = lowerBound(row.reach, from, 0, row.n), b = lowerBound(row.start, to, a, row.n);
		if ((b - a) * CROWD > view.inner) {
			crowded.push(row);
		} else {
			paintBars(c, row, a, b);
			single.push([row, a, b]);
		}
	}
	if (crowded.length)
		paintCrowded(c, crowded);
	return {single, isNear: !crowded.length && single.reduce((sum, [, a, b]) => sum + b - a, 0) < NEAR};
}

// The colors as pixels, in the order of bytes of this machine.
function makePixelColors() {
	const dot = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
	view.words = PAINTS.map(name => {
		dot.fillStyle = view.colors[name];
		dot.fillRect(0, 0, 1, 1);
		return new Uint32Array(dot.getImageData(0, 0, 1, 1).data.buffer)[0];
	});
}
