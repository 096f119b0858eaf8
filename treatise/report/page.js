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

/* The threshold: a slider over the points of one method's curve, beside its rates and its table of outcomes. */
const chooser = document.getElementById("chooser");
if (chooser) {
  const method = document.getElementById("threshold-method");
  const slider = document.getElementById("threshold");
  const jumps = document.getElementById("threshold-jumps");
  const whole = (value) => value.toLocaleString("en");
  const share = (value) => `${(100 * value).toFixed(1)} %`;
  const say = (id, text) => {
    document.getElementById(id).textContent = text;
  };
  let points;

  const readMethod = () => {
    const { thresholds, recall, fallout, positives, negatives, first, marked } = method.selectedOptions[0].dataset;
    const numbers = (text) => text.split(" ").map(Number);
    points = { thresholds: numbers(thresholds), recall: numbers(recall), fallout: numbers(fallout) };
    points.positives = Number(positives);
    points.negatives = Number(negatives);
    slider.max = points.thresholds.length - 1;
    /* Points are listed from the highest threshold down; the slider grows to the right. */
    slider.value = slider.max - Number(first);
    jumps.replaceChildren(
      ...marked.split(";").filter(Boolean).map((mark) => {
        const [place, ...words] = mark.split(":");
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = words.join(":");
        button.addEventListener("click", () => {
          slider.value = slider.max - Number(place);
          show();
        });
        return button;
      }),
    );
    for (const marks of document.querySelectorAll(".curve-marks")) {
      marks.classList.toggle("on", marks.dataset.method === method.value);
    }
    show();
  };

  const show = () => {
    const place = slider.max - slider.value;
    const recall = points.recall[place];
    const fallout = points.fallout[place];
    const found = Math.round(recall * points.positives);
    const alarms = Math.round(fallout * points.negatives);
    const threshold = points.thresholds[place].toPrecision(3);
    say("threshold-value", threshold);
    slider.setAttribute("aria-valuetext", `threshold ${threshold}`);
    say("at-found", whole(found));
    say("at-missed", whole(points.positives - found));
    say("at-alarms", whole(alarms));
    say("at-rejected", whole(points.negatives - alarms));
    const precision = found + alarms ? found / (found + alarms) : 1;
    say("at-precision", share(precision));
    say("at-recall", share(recall));
    say("at-fallout", share(fallout));
    say("at-f1", ((2 * found) / (found + alarms + points.positives)).toFixed(3));
    for (const dot of document.querySelectorAll(".chosen")) {
      const [x, y] = dot.dataset.curve === "roc" ? [fallout, recall] : [recall, precision];
      const { left, right, bottom, top } = dot.dataset;
      dot.setAttribute("cx", Number(left) + x * (right - left));
      dot.setAttribute("cy", Number(bottom) + y * (top - bottom));
      dot.setAttribute("visibility", "visible");
    }
  };

  method.addEventListener("change", readMethod);
  slider.addEventListener("input", show);
  chooser.hidden = false;
  readMethod();
}

/* Copying: the clipboard where the browser gives it, else the text is selected for the reader to copy. */
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const code = button.parentElement.querySelector("code");
    let done = "Selected";
    try {
      await navigator.clipboard.writeText(code.textContent);
      done = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      if (document.execCommand("copy")) done = "Copied";
    }
    button.textContent = done;
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
}

/* A link to a folded part opens it; paper shows every part. */
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target) return;
  for (let part = target; part; part = part.parentElement) {
    if (part instanceof HTMLDetailsElement) part.open = true;
  }
  if (target instanceof HTMLDetailsElement) target.scrollIntoView();
}
addEventListener("hashchange", openTarget);
openTarget();
