"use strict";
// Cells of the table reach the page as text (textContent), never as HTML.

const byId = (name) => document.getElementById(name);
const client = crypto.randomUUID();
let shown = null; // the card on the page
let waiting = false; // an answer is on its way
let unsent = null; // an answer that was not confirmed: its key stays the same when it is sent again

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function alertOf(text) {
  if (byId("alert").textContent === text) return; // else screen readers read it again
  byId("alert").textContent = text;
  byId("alert").hidden = !text;
}

function say(text) {
  byId("said").textContent = text;
}

async function replyTo(address, body) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  let reply;
  try {
    reply = await fetch(address, options);
  } catch {
    throw new Error("The program does not answer. It may have ended: start it again.");
  }
  const answer = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error(answer.error || `The program answered with ${reply.status}.`);
  return answer;
}

// The card

function cellOf(cell, row, place) {
  const line = element("div", undefined, `cell ${cell.kind}`);
  line.append(element("dt", cell.name));
  const content = element("dd");
  if (cell.kind === "picture") {
    const picture = element("img");
    picture.src = `pictures/${row}/${place}`;
    picture.alt = `${cell.name}: ${cell.text}`;
    content.append(picture);
  } else if (cell.kind === "link") {
    const link = element("a", cell.text);
    link.href = cell.text.trim();
    link.rel = "noreferrer noopener";
    link.target = "_blank";
    content.append(link);
  } else {
    content.textContent = cell.text;
  }
  line.append(content);
  return line;
}

function headOf(text, scope) {
  const head = element("th", text);
  head.scope = scope;
  return head;
}

function differences(near) {
  const more = near.n_differ - near.differs.length;
  return more ? `Differs most in these, and in ${more} more` : "Differs in";
}

function nearOf(near) {
  const block = element("div", undefined, "near");
  const line = element("p");
  const said = near.answer === "yes" ? "Yes" : "No";
  line.append(element("span", said, near.answer));
  const link = element("button", `row ${near.number}`, "quiet");
  link.type = "button";
  link.setAttribute("aria-label", `Nearest ${said}: row ${near.number}`);
  link.addEventListener("click", () => goTo(near.number));
  line.append(" ", link);
  block.append(line, element("p", near.heading));
  if (near.differs.length) {
    const table = element("table");
    table.append(element("caption", differences(near)));
    const head = element("tr");
    for (const name of ["column", "here", `row ${near.number}`]) head.append(headOf(name, "col"));
    table.append(head);
    for (const { column, here, there } of near.differs) {
      const cells = element("tr");
      cells.append(headOf(column, "row"), element("td", here), element("td", there));
      table.append(cells);
    }
    block.append(table);
  }
  return block;
}

function showCard(card) {
  shown = card;
  for (const button of document.querySelectorAll("[data-action], #save-note")) button.disabled = !card;
  byId("note").value = "";
  if (!card) {
    byId("card-title").textContent = "Every row is answered";
    byId("facts").textContent = "";
    byId("cells").replaceChildren();
    byId("nearest").replaceChildren();
    return;
  }
  byId("card-title").textContent = `Row ${card.number}`;
  const facts = [];
  if (card.probability !== null) facts.push(`${(100 * card.probability).toFixed(0)} % likely positive`);
  facts.push(`place ${card.rank} of ${card.n_ranked} rows without an answer`);
  for (const [who, answer] of Object.entries(card.said)) facts.push(`${who} said ${answer}`);
  for (const [who, text] of card.notes) facts.push(`note by ${who}: ${text}`);
  byId("facts").textContent = facts.join(" · ");
  byId("cells").replaceChildren(...card.cells.map((cell, place) => cellOf(cell, card.row, place)));
  byId("nearest").replaceChildren(...card.nearest.map(nearOf));
  if (!card.nearest.length) byId("nearest").append(element("p", "None yet.", "small"));
  window.scrollTo(0, 0);
  byId("card-title").focus({ preventScroll: true });
}

// Status of the session

function svg(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function drawCurve(status) {
  const [low, left, high] = status.left;
  const points = [[0, 0], ...status.curve];
  const [seen, found] = points[points.length - 1];
  const most = Math.max(1, found + left);
  const x = (n) => 8 + (304 * n) / Math.max(1, seen);
  const y = (n) => 150 - (140 * Math.min(n, most)) / most;
  const line = points.map(([n, k]) => `${x(n).toFixed(1)},${y(k).toFixed(1)}`).join(" ");
  byId("curve").replaceChildren(
    svg("line", { x1: 8, x2: 312, y1: 150, y2: 150, class: "axis" }),
    svg("line", { x1: 8, x2: 8, y1: 10, y2: 150, class: "axis" }),
    svg("rect", { x: 306, width: 6, y: y(found + high), height: y(found + low) - y(found + high), class: "range" }),
    svg("polyline", { points: line, class: "found" }),
  );
  byId("curve-text").textContent =
    `${found} positives found in ${seen} rows looked at; the bar at the end is what may be left.`;
}

// Rebuilt only if it changed, so that the focus stays where it is.
const listed = {};
function list(name, things, itemOf) {
  const text = JSON.stringify(things);
  if (listed[name] === text) return;
  listed[name] = text;
  byId(name).replaceChildren(...things.map(itemOf));
}

function disagreementOf(one) {
  const item = element("li");
  const link = element("button", `Row ${one.number}`, "quiet");
  link.type = "button";
  link.addEventListener("click", () => goTo(one.number));
  const said = Object.entries(one.said).map(([who, answer]) => `${who} ${answer}`).join(", ");
  item.append(link, ` ${said}`);
  return item;
}

function exportOf({ name, about }) {
  const item = element("li");
  const link = element("a", name);
  link.href = `exports/${encodeURIComponent(name)}`;
  if (name.endsWith(".html")) {
    link.target = "_blank";
    link.rel = "noopener";
  } else {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      download(link.href, name);
    });
  }
  item.append(link, element("span", about));
  return item;
}

// Labelling can go on meanwhile.
async function download(address, name) {
  alertOf("");
  say(`${name} is being made.`);
  try {
    const reply = await fetch(address);
    if (!reply.ok) throw new Error(`${name} cannot be made: ${await reply.text()}`);
    const link = element("a");
    link.href = URL.createObjectURL(await reply.blob());
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
    say(`${name} is made.`);
  } catch (error) {
    say("");
    alertOf(error.message);
  }
}

function showStatus(status) {
  document.title = `${status.table} · pucut`;
  byId("table").textContent = status.table;
  byId("sentence").textContent = status.sentence;
  drawCurve(status);
  byId("counts").textContent =
    `${status.n_yes} yes, ${status.n_no} no, ${status.n_skipped} skipped; ` +
    `${status.n_known} of ${status.n_rows} rows were known before.`;
  const behind = status.n_labels - status.ranked_with;
  byId("ranking").textContent = status.failure
    ? `The ranking could not be renewed: ${status.failure}`
    : behind ? `The ranking is being renewed; ${behind} answers are not in it yet.`
      : `The ranking knows all ${status.n_labels} labels.`;
  byId("people").hidden = !status.disagreements.length;
  list("disagreements", status.disagreements, disagreementOf);
  list("exports", status.exports, exportOf);
  if (!byId("who").value) byId("who").value = sessionStorage.getItem("who") || status.who;
  if (status.changed) alertOf("The table has changed on the disk since it was read. End the program and start it again.");
}

// Actions of the user

async function doing(action) {
  if (waiting) return;
  waiting = true;
  document.body.setAttribute("aria-busy", "true");
  try {
    alertOf("");
    await action();
  } catch (error) {
    alertOf(error.message);
  } finally {
    waiting = false;
    document.body.removeAttribute("aria-busy");
  }
}

function show(answer) {
  if ("card" in answer) showCard(answer.card);
  if (answer.status) showStatus(answer.status);
}

const nextCard = () => doing(async () => {
  show(await replyTo(`next?client=${client}&goal=${byId("goal").value}`));
});

const goTo = (number) => doing(async () => {
  if (!/^[0-9]+$/.test(String(number))) throw new Error(`Rows have whole numbers, found ${number}.`);
  show(await replyTo(`rows/${Number(number) - 1}`));
});

const answer = (action) => doing(async () => {
  if (!shown) return;
  const note = byId("note").value.trim();
  if (action === "note" && !note) throw new Error("The note is empty.");
  const same = unsent && unsent.row === shown.row && unsent.action === action && unsent.note === note;
  unsent = {
    key: same ? unsent.key : crypto.randomUUID(),
    row: shown.row, action, note,
    who: byId("who").value.trim(), goal: byId("goal").value, client, stay: action === "note",
  };
  const number = shown.number;
  const found = await replyTo("answers", unsent);
  unsent = null;
  show(found);
  say(`Saved: row ${number}, ${action}.`);
});

const undo = () => doing(async () => {
  const found = await replyTo("undo", { key: crypto.randomUUID(), who: byId("who").value.trim() });
  if (found.nothing) {
    say("There is nothing to take back.");
    return;
  }
  show(found);
  say(`Taken back: row ${found.card.number}.`);
});

const keys = { y: () => answer("yes"), n: () => answer("no"), s: () => answer("skip"), u: undo };

document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Escape") byId("card-title").focus();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const key = event.key.toLowerCase();
  if (key === "m") {
    event.preventDefault();
    byId("note").focus();
  } else if (key in keys) {
    event.preventDefault();
    keys[key]();
  }
});
for (const button of document.querySelectorAll("[data-action]")) {
  button.addEventListener("click", () => answer(button.dataset.action));
}
byId("save-note").addEventListener("click", () => answer("note"));
byId("note-form").addEventListener("submit", (event) => event.preventDefault());
byId("undo").addEventListener("click", undo);
byId("goal").addEventListener("change", nextCard);
byId("go").addEventListener("change", () => goTo(byId("go").value.trim()));
byId("who").addEventListener("change", () => sessionStorage.setItem("who", byId("who").value.trim()));
byId("end").addEventListener("click", () => doing(async () => {
  await replyTo("end", {});
  showCard(null);
  clearInterval(renewing);
  byId("card-title").textContent = "The program has ended";
  byId("facts").textContent = "All answers are in the journal. You can close this page.";
  byId("undo").disabled = true;
}));

async function renew() {
  if (waiting) return;
  try {
    showStatus(await replyTo("status"));
  } catch (error) {
    alertOf(error.message);
  }
}
const renewing = setInterval(renew, 4000);
nextCard();
