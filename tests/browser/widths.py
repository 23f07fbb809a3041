"""Windows from a small phone to a large screen, and what is wrong with a page in one."""

from __future__ import annotations

from typing import Any

WIDTHS = (320, 352, 353, 360, 480, 481, 600, 704, 705, 720, 768, 820, 900, 960, 961, 1000, 1088, 1089, 1280, 1400)
"""Both sides of every width at which the pages change, and some between."""

WHOLE = 9
"""Letters up to which a word must stand on one line, a name of a ticker too."""

WRONG = """(whole) => {
  const found = [];
  const edge = document.documentElement.clientWidth;
  const over = document.documentElement.scrollWidth - edge;
  if (over > 0) found.push(`${over} pixels to scroll sideways`);
  for (const one of document.querySelectorAll("#all td.why")) {
    const wide = one.getBoundingClientRect().width;
    if (one.checkVisibility() && wide < 160) found.push(`a reason has ${Math.round(wide)} pixels`);
  }
  const inner = edge - parseFloat(getComputedStyle(document.body).paddingRight) + 1;
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (nodes.nextNode()) {
    const node = nodes.currentNode;
    if (!node.parentElement.checkVisibility() || node.parentElement.closest("svg, script")) continue;
    for (const word of node.data.matchAll(/[^\\s-]+/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const boxes = [...range.getClientRects()].filter((one) => one.width);
      const place = `${node.parentElement.localName}.${node.parentElement.className}`;
      const lines = new Set(boxes.map((one) => Math.round(one.top / 4))).size;
      if (word[0].length <= whole && lines > 1) found.push(`${word[0]} is broken in ${place}`);
      if (boxes.some((one) => one.right > inner)) found.push(`${word[0]} sticks out of the page in ${place}`);
    }
  }
  return [...new Set(found)].slice(0, 20);
}"""


def wrong_at(page: Any) -> dict[int, list[str]]:
    """What is wrong with a page, all of it unfolded, by width; empty if nothing is."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found[width] = page.evaluate(WRONG, WHOLE)
    return {width: words for width, words in found.items() if words}
