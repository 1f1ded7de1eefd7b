"use strict";
(() => {
  const table = document.getElementById("br-verdicts");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const text = document.getElementById("br-text");
  const outcome = document.getElementById("br-outcome");
  const count = document.getElementById("br-count");

  const shown = (row) => {
    const words = text.value.toLowerCase().split(/\s+/);
    const wanted = outcome.value;
    return words.every((word) => row.dataset.text.toLowerCase().includes(word))
      && (!wanted || row.dataset.outcome === wanted || (wanted === "fails" && "fails" in row.dataset));
  };

  const filter = () => {
    let left = 0;
    for (const row of rows) {
      row.hidden = !shown(row);
      left += row.hidden ? 0 : 1;
    }
    const all = `${rows.length} ${rows.length === 1 ? "verdict" : "verdicts"}`;
    count.textContent = left === rows.length ? all : `${left} of ${all}`;
  };

  // What has no number goes last, whichever way the rest is sorted.
  const compare = (first, second, sign) => {
    const [a, b] = [first, second].map((cell) => cell.dataset.sort ?? cell.textContent.trim());
    if (a === "" || b === "") return (a === "") - (b === "");
    const byNumber = "sort" in first.dataset;
    return sign * (byNumber ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true }));
  };

  const sort = (header) => {
    const sign = header.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const other of table.tHead.rows[0].cells) {
      if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
    }
    header.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
    const place = header.cellIndex;
    const sorted = [...body.rows].sort((a, b) => compare(a.cells[place], b.cells[place], sign));
    body.append(...sorted);
  };

  // A tip leaves the scrolling box of its table, which would cut it off.
  const place = (cell) => {
    const tip = cell.querySelector(".br-tip");
    const at = cell.getBoundingClientRect();
    Object.assign(tip.style, { position: "fixed", right: "auto", top: "0", left: "0" });
    const { width, height } = tip.getBoundingClientRect();
    const below = at.bottom + height + 8 < window.innerHeight;
    tip.style.left = `${Math.max(4, Math.min(at.left, window.innerWidth - width - 8))}px`;
    tip.style.top = `${below ? at.bottom + 2 : at.top - height - 2}px`;
  };
  for (const tip of document.querySelectorAll(".br-tip")) {
    const cell = tip.parentElement;
    for (const happens of ["mouseenter", "focus"]) cell.addEventListener(happens, () => place(cell));
    cell.addEventListener("keydown", (event) => { if (event.key === "Escape") cell.blur(); });
  }
  for (const button of table.tHead.querySelectorAll("button")) {
    button.addEventListener("click", () => sort(button.closest("th")));
  }
  text.addEventListener("input", filter);
  outcome.addEventListener("change", filter);
})();
