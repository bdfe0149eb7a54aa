// Links from source lines to an editor or a site (option html-links). The program chose the paths, so only plain ones become links.
function encodePath(path) {
	return path.split("/").map(encodeURIComponent).join("/");
}

// The address of a line, or null: the template decides the scheme and the host, reports/html/html_links.c checks it. A path is
// relative below the current folder.
function hrefOf(frame) {
	const relative = shortPath(frame.file), isAbsolute = frame.file.startsWith("/");
	if (!D.links || !frame.line || frame.file.split("/").some(part => part === "." || part === "..")
		|| D.links.includes("{path}") && !isAbsolute || D.links.includes("{relative}") && relative.startsWith("/"))
		return null;
	const values = {path: encodePath(frame.file), relative: encodePath(relative), line: String(frame.line)};
	return D.links.replace(/\{(path|relative|line)\}/g, (_, word) => values[word]);
}

function linked(frame, words) {
	const href = hrefOf(frame);
	return href ? make("a", {href, rel: "noreferrer"}, words) : words;
}
