"""Contrast and names in the HTML report: axe-core, and texts of drawings and of the time line. usage: test_contrast.py STREAMCHECK"""
import json
import os
import sys
import unittest

import browser
import test_html
import traces

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
AXE = os.path.join(ROOT, "out", "axe", "axe_playwright_python", "axe.min.js")  # tools/setup.sh all
FAULTS = """axe.run(document).then(result => JSON.stringify(result.violations.flatMap(
    rule => rule.nodes.map(node => `${rule.id}: ${node.html.slice(0, 120)}: ${node.failureSummary.slice(0, 200)}`))))"""
CONTRAST = r"""
    const rgb = c => (c.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
    const light = c => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const contrast = (one, other) => (Math.max(light(one), light(other)) + 0.05) / (Math.min(light(one), light(other)) + 0.05);
"""
# Texts of drawings, against the box that they stand in, or else what is below the drawing.
DRAWN = r"""(() => {""" + CONTRAST + r"""
    const below = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
    return [...document.querySelectorAll('svg text')].filter(t => t.getClientRects().length).map(t => {
        const rect = t.closest('.node') && t.closest('.node').querySelector('rect');
        return [t.textContent, contrast(rgb(getComputedStyle(t).fill), rect ? rgb(getComputedStyle(rect).fill) : below(t.closest('svg')))];
    });
})()"""
# Texts of the time line, against the pixel that was there before.
PAINTED = r"""new Promise(done => {""" + CONTRAST + r"""
    const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const draw = CanvasRenderingContext2D.prototype.fillText, texts = [], hex = c => [1, 3, 5].map(i => parseInt(c.slice(i, i + 2), 16));
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
        const at = this.textAlign === 'center' ? x : x + 1;
        probe.clearRect(0, 0, 1, 1);
        probe.drawImage(this.canvas, Math.round(at), Math.round(y), 1, 1, 0, 0, 1, 1);
        const below = [...probe.getImageData(0, 0, 1, 1).data];
        if (below[3])  // else it is outside
            texts.push([text, contrast(hex(this.fillStyle), below)]);
        return draw.call(this, text, x, y, ...rest);
    };
    dispatchEvent(new Event('resize'));
    requestAnimationFrame(() => requestAnimationFrame(() => { CanvasRenderingContext2D.prototype.fillText = draw; done(texts); }));
})"""


def pages():
    """Traces with all kinds of findings, marks, bars and scales."""
    return {"story": traces.story(), "sources": None, "stripped": traces.stripped(240, 120), "closed": traces.closed_kernels(), "timed": traces.timed(0), "ranged": traces.ranged(),
            "clean": "alloc d 64\nset s1 d 64\nstream_sync s1\nexit 0\n", "lost": traces.many_findings(3) + 'lost 5 "no room"\n'}


class Contrast(test_html.Paged):
    def open_with_sources(self, name, _):
        """Findings with source excerpts, links, and a fix as a difference."""
        path = os.path.join(self.folder.name, "train.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(f"    launch({line})" for line in range(60)))
        self.page.complaints.clear()
        self.page.open(test_html.write(self.folder.name, name, traces.closed_kernels().replace("/home/u/train.py", path),
                                       ["--source-root=" + self.folder.name, "--html-links=vscode"]))
        self.assertGreater(self.page.ask("document.querySelectorAll('.source .hit').length"), 0)
        self.assertGreater(self.page.ask("document.querySelectorAll('.stack a').length"), 0)

    def each_page(self, schemes=("light", "dark"), most=None):
        for name, script in list(pages().items())[:most]:
            for scheme in schemes:
                self.page.scheme(scheme)
                (self.open if script else self.open_with_sources)(name, script)
                yield f"{name}, {scheme}: "
        self.page.scheme("light")

    def unfold(self):
        self.page.ask("document.querySelectorAll('article h3 > button').forEach((b, i) => i && i < 4 && b.click())")
        self.page.ask("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        self.page.ask("new Promise(done => setTimeout(done))")

    @unittest.skipUnless(os.path.exists(AXE), "no axe-core: tools/setup.sh all")
    def test_axe_has_no_complaints(self):
        with open(AXE, encoding="utf-8") as file:
            axe = file.read()
        faults = []
        for width, limits in ((1280, {}), (390, {"schemes": ["light"], "most": 3})):
            self.page.size(width, 900)
            for page in self.each_page(**limits):
                self.unfold()
                self.page.ask(axe + ";0")
                faults += [f"{width}, {page}{fault}" for fault in json.loads(self.page.ask(FAULTS))]
        self.page.size(1240, 900)
        self.assertEqual(faults, [])

    @unittest.skipUnless(os.path.exists(AXE), "no axe-core: tools/setup.sh all")
    def test_axe_sees_pale_text(self):
        self.open("pale", traces.story())
        self.page.ask("document.querySelector('main').insertAdjacentHTML('beforeend', '<p style=\"color:#999;background:#fff\">pale</p>')")
        with open(AXE, encoding="utf-8") as file:
            self.page.ask(file.read() + ";0")
        self.assertEqual([fault.split(":")[0] for fault in json.loads(self.page.ask(FAULTS))], ["color-contrast"])

    def test_texts_of_drawings(self):
        texts = []
        for page in self.each_page():
            self.unfold()
            texts += [(page + text, ratio) for text, ratio in self.page.ask(DRAWN)]
        self.assertEqual([text for text in texts if text[1] < 4.5], [])
        self.assertGreater(len(texts), 50)

    def test_texts_of_the_time_line(self):
        texts = []
        for page in self.each_page():
            for key in ("0", "+", "+", "+"):
                self.page.ask("document.querySelector('canvas').focus()")
                self.page.key(key, key)
                texts += [(page + text, ratio) for text, ratio in self.page.ask(PAINTED)]
        self.assertEqual([text for text in texts if text[1] < 4.5], [])
        self.assertGreater(len(texts), 200)

    def test_pale_texts_are_seen(self):
        self.open("pale", traces.many_findings(40))
        self.page.ask("document.documentElement.style.setProperty('--ink', '#c0c0c0')")
        self.assertTrue([text for text in self.page.ask(DRAWN) if text[1] < 4.5])
        self.page.ask("dispatchEvent(new Event('afterprint'))")  # reads the colors anew
        self.assertTrue([text for text in self.page.ask(PAINTED) if text[1] < 4.5])


if __name__ == "__main__":
    test_html.COMMAND = sys.argv.pop(1)
    if not browser.find():
        print("skipped: no chromium")
        sys.exit(test_html.SKIPPED)
    unittest.main(verbosity=2)
