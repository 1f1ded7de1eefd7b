"use strict";
(() => {
  const root = document.documentElement;
  const all = (query, inside = document) => [...inside.querySelectorAll(query)];
  root.classList.add("js");
  const theme = document.querySelector(".theme");
  theme.hidden = false;
  theme.onclick = () => {
    const now = root.dataset.theme || (matchMedia("(prefers-color-scheme:dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  };
  addEventListener("beforeprint", () => all("details").forEach((each) => { each.open = true; }));
  const table = document.querySelector(".all");
  if (!table) return;
  const body = table.tBodies[0];
  const box = document.querySelector(".tools input");
  const count = document.querySelector(".tools output");
  const buttons = all(".tools button[data-s]");
  const more = document.querySelector(".tools .more");
  const most = 200; // what a browser lays out at once
  let [wanted, limit] = ["", most];
  let rows = [...body.rows].map((row) => ({
    row, text: row.textContent.toLowerCase(), mark: row.querySelector("[data-s]").dataset.s,
  }));
  const filter = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const { row, text, mark } of rows) {
      const shows = (!wanted || mark === wanted) && words.every((word) => text.includes(word));
      left += shows ? 1 : 0;
      row.hidden = !shows || left > limit;
    }
    more.hidden = left <= limit;
    count.textContent = `${Math.min(left, limit)} of ${rows.length} shown`;
  };
  const sort = (header) => {
    const up = header.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", up ? "ascending" : "descending");
    const place = header.cellIndex;
    const isNumber = header.classList.contains("num");
    const key = ({ row }) => {
      const cell = row.cells[place];
      return isNumber ? Number(cell.dataset.v ?? NaN) : cell.textContent.trim();
    };
    // What has no number goes last, whichever way the rest is sorted.
    const compare = ([a], [b]) => {
      if (!isNumber) return (up ? 1 : -1) * a.localeCompare(b, "en", { numeric: true });
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
      return up ? a - b : b - a;
    };
    rows = rows.map((each) => [key(each), each]).sort(compare).map(([, each]) => each);
    body.append(...rows.map(({ row }) => row));
    filter();
  };
  const unlimited = () => { limit = Infinity; filter(); };
  box.oninput = () => { limit = most; filter(); };
  more.onclick = unlimited;
  addEventListener("beforeprint", unlimited);
  for (const button of buttons) {
    const { s } = button.dataset;
    button.append(` (${rows.filter(({ mark }) => !s || mark === s).length})`);
    button.onclick = () => {
      [wanted, limit] = [s, most];
      for (const other of buttons) other.setAttribute("aria-pressed", other === button);
      filter();
    };
  }
  for (const button of all("thead button", table)) button.onclick = () => sort(button.closest("th"));
  filter();
})();
