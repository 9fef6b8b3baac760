// Why the selected row has its class.

const MOST_CHAIN = 12;
const MOST_VALUES = 12;
const ELSEWHERE = -2; // in place of a row that is not on this page

function rowButton(row) {
  const button = make("button", { type: "button", class: `link ${sideClass(row)}` }, nameOf(row));
  button.addEventListener("click", () => select(row));
  return button;
}

function opening(row) {
  const isLabelled = rows.is_labelled[row] === 1;
  const text = isLabelled
    ? `Known to be ${positiveWord}${stages === null ? "" : ", and held on the positive side in both stages"}.`
    : isNegative(row) ? `Known not to be ${positiveWord}.`
      : `Unlabelled; looks ${rows.is_positive[row] ? positiveWord : negativeWord}.`;
  const lines = [make("p", {}, make("b", { class: sideClass(row) }, text))];
  lines.push(make(
    "p", {},
    `Probability of being ${positiveWord}: ${percent(rows.probability[row])}. ` +
    (!isUnlabelled(row) ? "" : `Rank ${grouped(rank[row])} of the ${grouped(nUnlabelled)} unlabelled rows. `) +
    `Score ${short(rows.score[row])}.`,
  ));
  if (isUnlabelled(row)) {
    const turning = rows.turning_prior[row];
    if (report.is_by_prior) lines.push(make("p", {}, `With this ranking it is found if the prior is at least about ${percent(turning)}; the prior used is ${percent(report.prior.value)}.`));
    if (stages !== null) lines.push(make("p", {}, negativePlace(row)));
  }
  return lines;
}

function negativePlace(row) {
  const ranking = `Place ${grouped(rows.negative_place[row])} of ${grouped(nUnlabelled)} in the ranking of likely negatives`;
  return `${ranking}${rows.is_likely_negative[row] ? ", and one of those held as negatives in stage 2" : ""}.`;
}

// A bar from lambda 0 to 1, thick where the row is on the positive side.
function stageBar(stage, row) {
  const [left, right] = [2, 298];
  const at = (lam) => left + lam * (right - left);
  const lam = lambdaOf(stage, row);
  const svg = draw("svg", { viewBox: "0 0 300 20", "aria-hidden": "true" });
  svg.append(draw("line", { class: "base", x1: left, x2: right, y1: 8, y2: 8 }));
  if (Number.isFinite(lam)) {
    const [from, to] = stage === 0 ? [0, lam] : [lam, 1];
    svg.append(draw("line", { class: "inside", x1: at(from), x2: at(to), y1: 8, y2: 8 }));
  }
  if (stage === partition.stage - 1) {
    const x = at(stages[stage].lam[partition.step]);
    svg.append(draw("path", { class: "chosen", d: `M${x},12l4,7h-8z` }));
  }
  return svg;
}

function breakpoints(row) {
  if (stages === null) return [];
  const parts = [make("h4", {}, "When it changes side")];
  const leaves = lambdaOf(0, row);
  const joins = lambdaOf(1, row);
  let first = `Stage 1: leaves the positive side at λ = ${short(leaves, 4)}.`;
  if (rows.is_labelled[row]) first = "Stage 1: never leaves.";
  else if (!rows.is_reached[row]) first = "Stage 1: no label reaches it; it leaves at once.";
  else if (!Number.isFinite(leaves)) first = "Stage 1: never on the positive side.";
  let second = `Stage 2: joins at λ = ${short(joins, 4)}.`;
  if (rows.is_labelled[row]) second = "Stage 2: there from the start.";
  else if (!Number.isFinite(joins)) second = "Stage 2: never joins.";
  else if (joins === 0) second = "Stage 2: pulled in from the start.";
  parts.push(make("p", {}, first), stageBar(0, row), make("p", {}, second), stageBar(1, row));
  return parts;
}

function neighbours(row) {
  if (report.graph === null) return [];
  const n = rows.n_listed_neighbors;
  const parts = [make("h4", {}, "Its known neighbours")];
  if (report.graph.name !== null) parts.push(make("p", { class: "note" }, graphNote()));
  const share = rows.share_to_positive[row];
  const edges = plural(rows.n_edges[row], "neighbour", "neighbours");
  if (share >= 0) parts.push(make("p", {}, `${edges}; ${percent(share)} of their similarity is with rows that are known or found.`));
  else parts.push(make("p", {}, "It has no neighbours."));
  const lines = [];
  let nElsewhere = 0; // neighbours that are not on this page
  for (let i = row * n; i < (row + 1) * n; i += 1) {
    nElsewhere += rows.neighbor[i] === ELSEWHERE;
    if (rows.neighbor[i] < 0) continue;
    lines.push(make(
      "tr", {}, make("th", { scope: "row" }, rowButton(rows.neighbor[i])),
      make("td", { class: "number" }, short(rows.neighbor_weight[i])),
    ));
  }
  if (lines.length) {
    const head = make("tr", {}, make("th", { scope: "col" }, "Row"), make("th", { scope: "col", class: "number" }, "Similarity"));
    parts.push(make("table", { id: "neighbours" }, make("thead", {}, head), make("tbody", {}, ...lines)));
  } else if (nElsewhere) parts.push(make("p", {}, "Those that are known are not on this page."));
  else if (!rows.is_labelled[row]) parts.push(chain(row));
  else parts.push(make("p", {}, "None of them is known."));
  return parts;
}

// Where several graphs decided, the one that is shown.
function graphNote() {
  const { name, weight } = report.graph;
  if (weight === null) return `Neighbours in the space “${name}”. No cut along a graph had any weight.`;
  return `Neighbours in the graph of the cut with most weight: ${name} (${percent(weight)}).`;
}

// The strongest way over unlabelled rows to a known one.
function chain(row) {
  const way = [];
  let at = rows.towards_label[row];
  for (; at >= 0; at = rows.towards_label[at]) way.push(at);
  const leaves = at === ELSEWHERE;
  if (!way.length && leaves) return make("p", {}, "None is known. A chain of neighbours leads to a known row, over rows that are not on this page.");
  if (!way.length) return make("p", {}, "None is known, and no chain of neighbours leads to a known row.");
  const steps = leaves ? "leads over rows that are not on this page" : `has ${plural(way.length, "step", "steps")}`;
  const text = make("p", { id: "chain" }, `None is known. The strongest chain to a known row ${steps}: `);
  const shown = way.length > MOST_CHAIN ? [...way.slice(0, MOST_CHAIN - 1), way[way.length - 1]] : way;
  shown.forEach((next, i) => {
    if (i) text.append(way.length > MOST_CHAIN && i === MOST_CHAIN - 1 ? " → … → " : " → ");
    text.append(rowButton(next));
  });
  if (leaves) text.append(" → …");
  return text;
}

// Columns in which the row differs most, counted with their weights.
function values(row) {
  if (!report.columns.length) return [];
  const lines = report.columns.map((column) => {
    const value = column.values[row];
    const away = column.categories === null && column.deviation > 0 ? (value - column.mean) / column.deviation : 0;
    const differs = column.categories === null ? away : Number(value !== column.usual);
    return { column, value, away, counts: Math.sqrt(column.weight ?? 1) * Math.abs(Number.isNaN(differs) ? 0 : differs) };
  });
  lines.sort((one, other) => other.counts - one.counts);
  const body = lines.slice(0, MOST_VALUES).map(({ column, value, away }) => {
    const of = (v) => {
      if (Number.isNaN(v) || v < 0 && column.categories !== null) return "missing";
      if (column.kind === "date") return new Date(Math.floor(v) * 864e5).toISOString().slice(0, 10);
      return column.categories === null ? short(v, 4) : column.categories[v];
    };
    const mean = column.categories === null ? column.mean : column.usual;
    return make(
      "tr", {}, make("th", { scope: "row" }, column.name), make("td", { class: "number" }, of(value)),
      make("td", { class: "number" }, of(mean)),
      make("td", { class: "spread" }, ...(column.categories === null && !Number.isNaN(value) ? [spread(column, away)] : [])),
    );
  });
  const heads = [["Column", ""], ["Here", "number"], ["Mean", "number"], ["Apart", "spread"]].map(
    ([text, kind]) => make("th", { scope: "col", class: kind }, text),
  );
  const total = report.data.n_features;
  const note = total > report.columns.length
    ? `From the ${report.columns.length} columns that are shown, of ${total}. ` : "";
  const counted = report.weights.length ? ", counted with the weights of the columns" : "";
  return [
    make("h4", {}, "Its values against the mean"),
    make("table", { id: "values" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...body)),
    make("p", { class: "note" }, `${note}The largest differences come first${counted}. A category stands beside the most frequent one. ` +
      "Dot: this row, on a scale of three standard deviations either way; line: the mean; diamond: the mean of the known rows."),
  ];
}

function spread(column, away) {
  const at = (z) => 50 + (Math.max(-3, Math.min(3, z)) / 3) * 44;
  const known = column.deviation > 0 ? (column.mean_labelled - column.mean) / column.deviation : 0;
  const k = at(known);
  return draw(
    "svg", { viewBox: "0 0 100 16", "aria-hidden": "true" },
    draw("line", { class: "mean", x1: 50, x2: 50, y1: 1, y2: 15 }),
    draw("path", { class: "known", d: `M${k},3l5,5l-5,5l-5,-5z` }),
    draw("circle", { class: "own", cx: at(away), cy: 8, r: 4 }),
  );
}

function showDetail() {
  const row = state.selected;
  if (row < 0) return;
  byId("detail-title").textContent = `Row ${nameOf(row)}`;
  byId("detail-body").replaceChildren(...opening(row), ...breakpoints(row), ...neighbours(row), ...values(row));
}

function startDetail() {
  on("selected", showDetail);
}
