"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;

  const theme = $("theme");
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const named = () => { theme.textContent = dark() ? "light" : "dark"; };
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; named(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", named);
  theme.hidden = false;
  named();

  const blocks = [...document.querySelectorAll("details.ticker")];
  const arrive = () => {
    const at = $(decodeURIComponent(location.hash.slice(1)));
    if (at instanceof HTMLDetailsElement) {
      at.hidden = false;
      at.open = true;
      at.scrollIntoView();
      at.querySelector("summary").focus({ preventScroll: true });
    }
  };
  addEventListener("hashchange", arrive);
  arrive();

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = blocks.filter((one) => !one.open);
    for (const one of folded) one.open = true;
  });
  addEventListener("afterprint", () => { for (const one of folded) one.open = false; });

  const unfold = $("unfold");
  if (unfold) {
    unfold.hidden = false;
    unfold.addEventListener("click", () => {
      const open = unfold.textContent === "unfold all";
      for (const one of blocks) one.open = open;
      unfold.textContent = open ? "fold all" : "unfold all";
    });
  }

  const table = $("all");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const block = new Map(rows.map((row, at) => [row, blocks[at]]));

  const filters = { name: $("f-name"), status: $("f-status"), stance: $("f-stance"), moved: $("f-moved") };
  const filter = () => {
    const name = filters.name.value.trim().toUpperCase();
    let shown = 0;
    for (const row of rows) {
      const hit = row.cells[0].textContent.toUpperCase().includes(name)
        && (!filters.status.value || row.dataset.status === filters.status.value)
        && (!filters.stance.value || row.dataset.stance === filters.stance.value)
        && (!filters.moved.checked || "moved" in row.dataset);
      row.hidden = !hit;
      block.get(row).hidden = !hit;
      shown += hit;
    }
    $("f-count").textContent = `${shown} of ${rows.length}`;
  };
  const form = $("filters");
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();

  const value = (row, at) => {
    const cell = row.cells[at];
    if (!("v" in cell.dataset)) return ["", "–"].includes(cell.textContent) ? null : cell.textContent;
    return cell.dataset.v === "None" ? null : Number(cell.dataset.v);
  };
  const order = (a, b) => typeof a === "number" ? a - b : a.localeCompare(b, "en");
  const sort = (head, at) => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const one of table.tHead.rows[0].cells) one.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const keyed = rows.map((row, place) => ({ row, place, key: value(row, at) }));
    keyed.sort((a, b) => {
      if (a.key === null || b.key === null) return (a.key === null) - (b.key === null) || a.place - b.place;
      return (down ? -1 : 1) * order(a.key, b.key) || a.place - b.place;
    });
    body.append(...keyed.map((one) => one.row));
  };
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => sort(head, at));
    head.replaceChildren(button);
  });
})();
