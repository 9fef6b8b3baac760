// The embedded summary, its arrays, and how numbers and names are written.

const TYPES = {
  uint8: Uint8Array, uint16: Uint16Array, int32: Int32Array,
  float32: Float32Array, float64: Float64Array,
};

function unpack(entry) {
  const text = atob(entry.base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return new TYPES[entry.type](bytes.buffer);
}

function unpackAll(value) {
  if (Array.isArray(value)) return value.map(unpackAll);
  if (value === null || typeof value !== "object") return value;
  if (typeof value.base64 === "string" && value.type in TYPES) return unpack(value);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, unpackAll(part)]));
}

const summaryElement = document.getElementById("summary");
const report = unpackAll(JSON.parse(summaryElement.textContent));
summaryElement.textContent = ""; // the arrays are enough
const { rows, stages, partition, plane } = report; // only 2-HNC has stages and a partition, else null
const nSamples = report.data.n_samples;
// The reader's own word for positives, if there is one.
const { word } = report.data;
const positiveWord = word === null ? "positive" : `“${word}”`;
const negativeWord = word === null ? "negative" : `not “${word}”`;

const nListed = report.listed.n_rows; // of the rows of the table: those that are on this page
const { rank } = rows; // among all unlabelled rows, from 1; 0 for known rows, of either class
const isNegative = (row) => rows.is_known_negative !== null && rows.is_known_negative[row] === 1;
const isUnlabelled = (row) => !rows.is_labelled[row] && !isNegative(row);
const nUnlabelled = report.data.n_unlabelled;

const byId = (id) => document.getElementById(id);
const numberOf = (row) => (rows.number === null ? row : rows.number[row]);
const nameOf = (row) => (rows.ids === null ? String(numberOf(row)) : rows.ids[row]);
const grouped = (n) => (Math.abs(n) < 10000 ? String(n) : n.toLocaleString("en").replace(/,/g, "\u202f"));
const percent = (share) => {
  const value = 100 * share;
  const isPlain = (value >= 5 && value <= 95) || value === 0 || value === 100;
  return `${value.toFixed(isPlain ? 0 : 1)}\u202f%`;
};
const short = (value, digits = 3) => {
  if (!Number.isFinite(value)) return "–";
  const text = String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
};
const plural = (n, one, many) => `${grouped(n)} ${n === 1 ? one : many}`;

// Whether a row is on the positive side at a step of a stage (0 or 1).
function isInside(stage, step, row) {
  const turn = stages[stage].turn[row];
  return stage === 0 ? turn >= step : turn <= step;
}

// The lambda at which a row changes side; infinite if it never is on the positive one.
function lambdaOf(stage, row) {
  const { turn, lam } = stages[stage];
  return turn[row] in lam ? lam[turn[row]] : Infinity;
}

function sideClass(row) {
  if (rows.is_labelled[row]) return "side side-labelled";
  if (isNegative(row)) return "side side-known-negative";
  return rows.is_positive[row] ? "side side-positive" : "side side-negative";
}

// Elements are made, never parsed: a name from the data is always text.
function make(tag, attributes = {}, ...parts) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...parts);
  return node;
}

function draw(tag, attributes = {}, ...parts) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...parts);
  return node;
}

// What changes on the page. Parts ask to be told.
const state = { stage: -1, step: -1, selected: -1 };
if (partition !== null) Object.assign(state, { stage: partition.stage - 1, step: partition.step });
const listeners = { cut: [], selected: [], theme: [] };
const on = (name, action) => listeners[name].push(action);
const tell = (name) => listeners[name].forEach((action) => action());

function setCut(stage, step) {
  state.stage = stage;
  state.step = Math.max(0, Math.min(step, stages[stage].lam.length - 1));
  tell("cut");
}

function select(row) {
  state.selected = row;
  tell("selected");
}
