"use strict";

/* Sorting: a heading's button sorts by its column, a second press turns the order round. */
for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  const said = document.getElementById("sorted");
  headings.forEach((heading, column) => {
    const button = heading.querySelector("button");
    if (!button) return;
    button.addEventListener("click", () => {
      const now = heading.getAttribute("aria-sort");
      const order =
        now === "ascending" ? "descending" : now === "descending" ? "ascending" : heading.dataset.first;
      for (const other of headings) {
        if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
      }
      heading.setAttribute("aria-sort", order);
      sortRows(table.tBodies[0], column, heading.dataset.kind, order === "ascending" ? 1 : -1);
      said.textContent = `Sorted by ${button.textContent.trim()}, ${order}.`;
    });
  });
}

/* Rows without a value come last in either order; equal rows keep their places. */
function sortRows(body, column, kind, sign) {
  const keyed = [...body.rows].map((row) => {
    const cell = row.cells[column];
    const text = (kind === "number" ? cell.dataset.value : cell.textContent).trim();
    return { row, absent: text === "" || text === "–", value: kind === "number" ? Number(text) : text };
  });
  keyed.sort((a, b) => {
    if (a.absent || b.absent) return a.absent - b.absent;
    const order =
      kind === "number" ? a.value - b.value : a.value.localeCompare(b.value, "en", { numeric: true });
    return sign * order;
  });
  body.append(...keyed.map((item) => item.row));
}

/* A link to a folded part opens it; paper shows every part. */
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
    target.scrollIntoView();
  }
}
addEventListener("hashchange", openTarget);
openTarget();

const openedForPaper = [];
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details:not([open])")) {
    part.open = true;
    openedForPaper.push(part);
  }
});
addEventListener("afterprint", () => {
  while (openedForPaper.length) openedForPaper.pop().open = false;
});
