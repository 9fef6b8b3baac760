// The list of all rows: search, filter, order, pages, download.

const PAGE = 25;

const COLUMNS = [
  { key: "name", title: "Row", of: (row) => row, text: nameOf },
  { key: "side", title: "Class", of: (row) => 2 * rows.is_labelled[row] + rows.is_positive[row], text: sideText },
  { key: "probability", title: "Probability", of: (row) => rows.probability[row], text: (row) => rows.probability[row].toFixed(3), falls: true },
  { key: "rank", title: "Rank", of: (row) => rank[row], text: (row) => (rank[row] ? grouped(rank[row]) : "–") },
  ...(stages === null ? [] : [
    { key: "leaves", title: "Leaves at λ", of: (row) => stages[0].turn[row], text: (row) => (rows.is_labelled[row] ? "never" : short(lambdaOf(0, row))), wide: true },
    { key: "joins", title: "Joins at λ", of: (row) => stages[1].turn[row], text: (row) => joinsText(row), wide: true },
  ]),
  ...(report.is_by_prior ? [
    { key: "turning", title: "Found from prior", of: (row) => rows.turning_prior[row], text: turningText, wide: true },
  ] : []),
];

function sideText(row) {
  if (rows.is_labelled[row]) return "known";
  if (isNegative(row)) return `known not to be ${word ?? "positive"}`;
  return rows.is_positive[row] ? (word ?? "positive") : (word === null ? "negative" : `not ${word}`);
}

function turningText(row) {
  if (rows.is_labelled[row]) return "any";
  return isNegative(row) ? "none" : percent(rows.turning_prior[row]);
}

function joinsText(row) {
  const lam = lambdaOf(1, row);
  return Number.isFinite(lam) ? short(lam) : "never";
}

// Nearest to the border: the rows whose class the smallest move of the prior changes.
const N_NEAREST = 25;
const border = new Set();
if (report.is_by_prior) {
  const away = (row) => Math.abs(rows.turning_prior[row] - report.prior.value);
  [...rows.order].filter(isUnlabelled)
    .sort((one, other) => away(one) - away(other)).slice(0, N_NEAREST).forEach((row) => border.add(row));
}

// The list opens with the first of these.
const FILTERS = new Map([
  ["found", [`found: look ${positiveWord}`, (row) => !rows.is_labelled[row] && rows.is_positive[row]]],
  ["known", ["known", (row) => rows.is_labelled[row]]],
  ["other", ["not found", (row) => isUnlabelled(row) && !rows.is_positive[row]]],
  ["unlabelled", ["all unlabelled", isUnlabelled]],
  ["all", ["all rows", () => true]],
]);
if (rows.is_known_negative !== null) FILTERS.set("negative", [`known not to be ${positiveWord}`, isNegative]);
if (border.size) FILTERS.set("border", [`the ${border.size} nearest to the border`, (row) => border.has(row)]);
if (partition !== null) FILTERS.set("likely-negative", ["held as negative in stage 2", (row) => rows.is_likely_negative[row]]);
const ALERT_TITLES = { unreached: "reached by no known row", repeated: "repeat another row" };
report.alerts.forEach((alert, place) => {
  if (alert.rows === null) return;
  const about = new Set(alert.rows);
  FILTERS.set(`alert-${place}`, [ALERT_TITLES[alert.kind] ?? alert.kind, (row) => about.has(row)]);
});
report.sensitivity.forEach((line, place) => {
  if (!line.is_possible) return;
  const changed = new Set([...line.to_positive, ...line.to_negative]);
  const sign = line.move > 0 ? "+" : "−";
  const title = `change at prior ${sign}${Math.abs(100 * line.move).toFixed(0)} points`;
  FILTERS.set(`move-${place}`, [title, (row) => changed.has(row)]);
});

const listing = { found: [], sort: "rank", falls: false, page: 0 };

function search() {
  const wanted = byId("search").value.trim().toLowerCase();
  const [, passes] = FILTERS.get(byId("filter").value);
  const found = [];
  for (const row of rows.order) {
    if (passes(row) && (!wanted || nameOf(row).toLowerCase().includes(wanted))) found.push(row);
  }
  const { of } = COLUMNS.find(({ key }) => key === listing.sort);
  found.sort((one, other) => of(one) - of(other)); // stable: ties stay in the order of scores
  if (listing.falls) found.reverse();
  listing.found = found;
  listing.page = 0;
  showTable();
}

function showHeads() {
  byId("heads").replaceChildren(...COLUMNS.map((column) => {
    const isSorted = column.key === listing.sort;
    const direction = listing.falls ? "descending" : "ascending";
    const arrow = isSorted ? (listing.falls ? " ▼" : " ▲") : "";
    const button = make("button", { type: "button", "data-sort": column.key }, column.title, arrow);
    button.addEventListener("click", () => sortBy(column));
    const kind = column.key === "name" || column.key === "side" ? "" : "number";
    return make("th", { scope: "col", "aria-sort": isSorted ? direction : "none", class: `${kind}${column.wide ? " wide" : ""}` }, button);
  }));
}

function sortBy(column) {
  listing.falls = listing.sort === column.key ? !listing.falls : column.falls === true;
  listing.sort = column.key;
  showHeads();
  search();
  document.querySelector(`[data-sort=${column.key}]`).focus();
}

function line(row) {
  const cells = COLUMNS.map((column) => {
    const text = column.text(row);
    if (column.key === "name") return make("th", { scope: "row" }, make("button", { type: "button", "data-row": row }, text));
    if (column.key === "side") return make("td", {}, make("span", { class: sideClass(row) }, text));
    return make("td", { class: `number${column.wide ? " wide" : ""}` }, text);
  });
  const node = make("tr", { "data-row": row }, ...cells);
  if (row === state.selected) node.setAttribute("aria-current", "true");
  return node;
}

function showTable() {
  const { found } = listing;
  const nPages = Math.max(1, Math.ceil(found.length / PAGE));
  listing.page = Math.max(0, Math.min(listing.page, nPages - 1));
  const start = listing.page * PAGE;
  byId("lines").replaceChildren(...found.slice(start, start + PAGE).map(line));
  const shown = found.length ? `${grouped(start + 1)} to ${grouped(Math.min(start + PAGE, found.length))} of ` : "";
  const all = found.length === nListed ? "" : ` out of ${grouped(nListed)}${nListed < nSamples ? " on this page" : ""}`;
  byId("listed").textContent = `${shown}${plural(found.length, "row", "rows")}${all}`;
  byId("listed").dataset.count = found.length;
  byId("page").textContent = `Page ${grouped(listing.page + 1)} of ${grouped(nPages)}`;
  byId("first-page").disabled = byId("previous-page").disabled = listing.page === 0;
  byId("next-page").disabled = byId("last-page").disabled = listing.page === nPages - 1;
  byId("download").textContent = `Download ${plural(found.length, "row", "rows")} as CSV`;
  byId("download").disabled = found.length === 0;
}

// Turns to the page that has the selected row, if the row is listed.
function showSelected() {
  const place = listing.found.indexOf(state.selected);
  if (place >= 0) listing.page = Math.floor(place / PAGE);
  const hadFocus = byId("lines").contains(document.activeElement);
  showTable();
  if (hadFocus) document.querySelector(`#lines button[data-row="${state.selected}"]`)?.focus();
}

// CSV as RFC 4180 has it, with numbers as they are.

const CSV = [
  ["name", nameOf],
  ["row", numberOf],
  ["known", (row) => rows.is_labelled[row] - isNegative(row)],
  ["positive", (row) => rows.is_positive[row]],
  ["probability", (row) => plainNumber(rows.probability[row])],
  ["score", (row) => plainNumber(rows.score[row])],
  ["rank", (row) => rank[row] || ""],
  ...(stages === null ? [] : [
    ["negative_place", (row) => rows.negative_place[row] || ""],
    ["leaves_at", (row) => (rows.is_labelled[row] ? "" : finite(lambdaOf(0, row)))],
    ["joins_at", (row) => finite(lambdaOf(1, row))],
  ]),
  ...(report.is_by_prior ? [["positive_from_prior", (row) => (isNegative(row) ? "" : plainNumber(rows.turning_prior[row]))]] : []),
];

const finite = (value) => (Number.isFinite(value) ? value : "");
const plainNumber = (value) => Number(value.toPrecision(7));

function csvField(value) {
  // Spreadsheets take such texts for formulas; an apostrophe makes them texts.
  const isFormula = typeof value === "string" && /^[=+\-@\t\r\n]/.test(value) && !Number.isFinite(Number(value));
  const text = isFormula ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

function csv(found) {
  const lines = [CSV.map(([name]) => name), ...found.map((row) => CSV.map(([, of]) => of(row)))];
  return lines.map((fields) => `${fields.map(csvField).join(",")}\r\n`).join("");
}

function download() {
  const url = URL.createObjectURL(new Blob([csv(listing.found)], { type: "text/csv;charset=utf-8" }));
  make("a", { href: url, download: "rows.csv" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function startTable() {
  const filter = byId("filter");
  FILTERS.forEach(([title], key) => filter.append(make("option", { value: key }, title)));
  if (report.n_positive === report.data.n_labelled) filter.value = "all"; // nothing was found
  filter.addEventListener("change", search);
  byId("search").addEventListener("input", search);
  byId("download").addEventListener("click", download);
  byId("lines").addEventListener("click", (event) => {
    const target = event.target.closest("tr");
    if (!target) return;
    select(Number(target.dataset.row));
    // Where the explanation does not stand beside the table, it would go unseen.
    if (window.matchMedia("(max-width: 60rem)").matches) byId("detail").scrollIntoView();
  });
  const turn = (to) => () => { listing.page = to(); showTable(); };
  byId("first-page").addEventListener("click", turn(() => 0));
  byId("previous-page").addEventListener("click", turn(() => listing.page - 1));
  byId("next-page").addEventListener("click", turn(() => listing.page + 1));
  byId("last-page").addEventListener("click", turn(() => Infinity));
  document.querySelectorAll("button[data-filter]").forEach((button) => {
    button.addEventListener("click", () => {
      byId("search").value = "";
      filter.value = button.dataset.filter;
      search();
      byId("samples").scrollIntoView();
      filter.focus({ preventScroll: true });
    });
  });
  on("selected", showSelected);
  showHeads();
  search();
}
