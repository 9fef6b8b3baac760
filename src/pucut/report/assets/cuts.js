// The slider through all partitions, the map, and the curve of their shares.

const canvas = byId("map");
const slider = byId("step");
const SMALLEST_RADIUS = 1.8;
const LARGEST_RADIUS = 4;
const REACH = 18; // pixels from a click to a point

function describeCut() {
  const { stage, step } = state;
  const { lam, n_positive: sizes } = stages[stage];
  const size = sizes[step];
  let drawn = 0;
  for (const row of plane.drawn) drawn += isInside(stage, step, row);
  const isChosen = stage === choice.stage - 1 && step === choice.step;
  const away = size - choice.n_positive;
  const parts = [
    `Stage ${stage + 1}, partition ${grouped(step + 1)} of ${grouped(lam.length)}: λ = ${short(lam[step], 4)}. `,
    make("b", {}, `${plural(size, "sample", "samples")} positive, ${percent(size / nSamples)}`),
    plane.n_drawn < nSamples ? `; of those drawn ${grouped(drawn)}. ` : ". ",
  ];
  if (isChosen) parts.push("This is the chosen partition.");
  else if (away === 0) parts.push("As many as in the chosen partition.");
  else parts.push(`${grouped(Math.abs(away))} ${away > 0 ? "more" : "fewer"} than in the chosen partition.`);
  const readout = byId("readout");
  readout.replaceChildren(...parts);
  Object.assign(readout.dataset, { stage: stage + 1, step, lam: lam[step], positive: size, drawn });
  slider.setAttribute(
    "aria-valuetext",
    `λ ${short(lam[step], 4)}, ${size} of ${nSamples} samples positive${isChosen ? ", chosen" : ""}`,
  );
}

function showSlider() {
  const last = stages[state.stage].lam.length - 1;
  slider.max = String(last);
  slider.value = String(state.step);
  slider.disabled = last === 0;
  document.querySelectorAll("input[name=stage]").forEach((radio) => {
    radio.checked = Number(radio.value) === state.stage;
  });
  const mark = byId("mark");
  mark.hidden = state.stage !== choice.stage - 1;
  const share = last === 0 ? 0 : choice.step / last;
  // The thumb's centre does not reach the ends of the track.
  mark.style.left = `calc(${share} * (100% - 16px) + 8px)`;
  mark.className = `mark${share < 0.05 ? " at-start" : ""}${share > 0.95 ? " at-end" : ""}`;
}

// Colours come from the style sheet, whichever theme is on.
function colours() {
  const of = (name) => getComputedStyle(document.querySelector(`.swatch-${name}`)).color;
  return {
    positive: of("positive"), negative: of("negative"), labelled: of("labelled"), ink: of("changed"),
    paper: getComputedStyle(document.body).backgroundColor,
  };
}

let frame = { width: 0, height: 0, radius: 2, ratio: 1 };

function fitCanvas() {
  const width = canvas.parentElement.clientWidth;
  const height = Math.round(Math.max(width / Math.max(plane.ratio, 1.25), Math.min(width, 300)));
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = `${height}px`;
  const radius = Math.sqrt((width * height) / plane.n_drawn) / 6;
  frame = { width, height, ratio, radius: Math.max(SMALLEST_RADIUS, Math.min(radius, LARGEST_RADIUS)) };
}

function placeOf(row) {
  const pad = 10;
  return [
    pad + (plane.x[row] / 65535) * (frame.width - 2 * pad),
    frame.height - pad - (plane.y[row] / 65535) * (frame.height - 2 * pad),
  ];
}

function drawMap() {
  const pen = canvas.getContext("2d");
  const colour = colours();
  const { stage, step } = state;
  const r = frame.radius;
  pen.setTransform(frame.ratio, 0, 0, frame.ratio, 0, 0);
  pen.clearRect(0, 0, frame.width, frame.height);
  const groups = { outside: [], inside: [], labelled: [], turning: [] };
  for (const row of plane.drawn) {
    const inside = isInside(stage, step, row);
    if (rows.is_labelled[row]) groups.labelled.push(row);
    else groups[inside ? "inside" : "outside"].push(row);
    if (stages[stage].turn[row] === step && !rows.is_labelled[row]) groups.turning.push(row);
  }
  pen.lineWidth = Math.max(1, r / 3);
  pen.strokeStyle = colour.negative;
  for (const row of groups.outside) {
    const [x, y] = placeOf(row);
    pen.beginPath();
    pen.arc(x, y, r * 0.85, 0, 7);
    pen.stroke();
  }
  pen.fillStyle = colour.positive;
  for (const row of groups.inside) {
    const [x, y] = placeOf(row);
    pen.beginPath();
    pen.arc(x, y, r, 0, 7);
    pen.fill();
  }
  pen.fillStyle = colour.labelled;
  for (const row of groups.labelled) drawDiamond(pen, ...placeOf(row), r * 1.25);
  // Where most rows turn at once, rings would hide them all.
  if (groups.turning.length <= plane.n_drawn / 5) {
    pen.strokeStyle = colour.ink;
    pen.lineWidth = 1;
    pen.setLineDash([2.4, 1.6]);
    for (const row of groups.turning) {
      pen.beginPath();
      pen.arc(...placeOf(row), r + 3, 0, 7);
      pen.stroke();
    }
    pen.setLineDash([]);
  }
  if (state.selected >= 0) drawSelected(pen, colour);
}

function drawDiamond(pen, x, y, r) {
  pen.beginPath();
  pen.moveTo(x, y - r);
  pen.lineTo(x + r, y);
  pen.lineTo(x, y + r);
  pen.lineTo(x - r, y);
  pen.fill();
}

function drawSelected(pen, colour) {
  const row = state.selected;
  const [x, y] = placeOf(row);
  for (const [width, stroke] of [[5, colour.paper], [2, colour.ink]]) {
    pen.lineWidth = width;
    pen.strokeStyle = stroke;
    pen.beginPath();
    pen.arc(x, y, frame.radius + 6, 0, 7);
    pen.stroke();
  }
  const name = nameOf(row).slice(0, 40);
  pen.font = `700 13px ${getComputedStyle(document.body).fontFamily}`;
  const width = pen.measureText(name).width;
  const left = Math.max(4, Math.min(x + frame.radius + 11, frame.width - width - 4));
  const base = y < 24 ? y + 22 : y - 8;
  pen.lineWidth = 4;
  pen.strokeStyle = colour.paper;
  pen.fillStyle = colour.ink;
  pen.strokeText(name, left, base);
  pen.fillText(name, left, base);
}

function pointNear(event) {
  const box = canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  let [best, nearest] = [-1, REACH * REACH];
  for (const row of plane.drawn) {
    const [px, py] = placeOf(row);
    const distance = (px - x) ** 2 + (py - y) ** 2;
    if (distance < nearest) [best, nearest] = [row, distance];
  }
  return best;
}

// The next point in the direction of an arrow key: near, and not far off that direction.
function pointTowards(dx, dy) {
  const [x, y] = state.selected < 0 ? [frame.width / 2, frame.height / 2] : placeOf(state.selected);
  let [best, least] = [-1, Infinity];
  for (const row of plane.drawn) {
    const [px, py] = placeOf(row);
    const along = (px - x) * dx + (py - y) * dy;
    const aside = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
    if (row === state.selected || along <= 0 || aside > along) continue;
    if (along + 2 * aside < least) [best, least] = [row, along + 2 * aside];
  }
  return best;
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// The curve

const CURVE = { height: 340, left: 40, right: 12, top: 14, bottom: 34 };
let curveCursor = null;
let curveScale = null;

// A step line with at most a few points for every pixel.
function curvePath(stage, x, y, width) {
  const { lam, n_positive: sizes } = stages[stage];
  const stride = Math.max(1, Math.floor(lam.length / (3 * width)));
  const last = lam.length - 1;
  const shown = [];
  for (let i = 0; i < last; i += stride) shown.push(i);
  shown.push(last);
  const parts = [`M${x(stage === 0 ? 0 : lam[0])},${y(sizes[0] / nSamples)}`];
  for (const i of shown) {
    const height = y(sizes[i] / nSamples);
    // Stage 1 keeps a share up to its lambda, stage 2 from it on.
    if (stage === 0) parts.push(`V${height}H${x(lam[i])}`);
    else parts.push(`H${x(lam[i])}V${height}`);
  }
  if (stage === 1) parts.push(`H${x(1)}`);
  return parts.join("");
}

function drawCurve() {
  const host = byId("curve");
  const width = Math.max(220, host.clientWidth);
  const { height, left, right, top, bottom } = CURVE;
  const x = (lam) => Number((left + lam * (width - left - right)).toFixed(2));
  const y = (share) => Number((top + (1 - share) * (height - top - bottom)).toFixed(2));
  curveScale = { x, y };
  const svg = draw("svg", {
    viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": "Share of positive samples over lambda: in stage 1 it falls, in stage 2 it rises. The slider reads out every point.",
  });
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    svg.append(draw("line", { class: "axis", x1: left, x2: width - right, y1: y(share), y2: y(share) }));
    svg.append(draw("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end" }, `${100 * share}${share === 1 ? "%" : ""}`));
  }
  for (const lam of [0, 0.25, 0.5, 0.75, 1]) {
    svg.append(draw("text", { x: x(lam), y: height - 14, "text-anchor": lam === 1 ? "end" : "middle" }, lam === 0 ? "λ = 0" : String(lam)));
  }
  const prior = report.prior.value;
  svg.append(draw("line", { class: "prior", x1: left, x2: width - right, y1: y(prior), y2: y(prior) }));
  svg.append(draw("text", { x: width - right, y: y(prior) - 5, "text-anchor": "end" }, `prior ${percent(prior)}`));
  stages.forEach((stage, i) => {
    svg.append(draw("path", { class: `line stage-${i}`, d: curvePath(i, x, y, width) }));
  });
  const first = stages[0].n_positive[0] / nSamples;
  svg.append(draw("text", { class: "label-0", x: x(0) + 6, y: y(first) + (first > 0.9 ? 15 : -6) }, "stage 1"));
  const end = stages[1].n_positive[stages[1].lam.length - 1] / nSamples;
  svg.append(draw("text", { class: "label-1", x: x(1), y: y(end) + (end > 0.9 || Math.abs(end - prior) < 0.07 ? 17 : -6), "text-anchor": "end" }, "stage 2"));
  const mine = stages[choice.stage - 1];
  const [cx, cy] = [x(mine.lam[choice.step]), y(mine.n_positive[choice.step] / nSamples)];
  svg.append(draw("circle", { class: "chosen", cx, cy, r: 5 }));
  const isRight = cx > width / 2;
  svg.append(draw("text", { class: "strong", x: cx + (isRight ? -9 : 9), y: cy - 8, "text-anchor": isRight ? "end" : "start" }, "chosen"));
  curveCursor = draw("g", {}, draw("line", { class: "cursor", y1: top, y2: height - bottom }), draw("circle", { class: "now", r: 5 }));
  svg.append(curveCursor);
  const follow = (event) => {
    if (event.type === "pointermove" && event.buttons !== 1) return;
    const box = svg.getBoundingClientRect();
    const lam = (((event.clientX - box.left) * width) / box.width - left) / (width - left - right);
    setCut(state.stage, stepNear(lam));
  };
  svg.addEventListener("pointerdown", follow);
  svg.addEventListener("pointermove", follow);
  host.replaceChildren(svg);
  moveCursor();
}

function stepNear(lam) {
  const lams = stages[state.stage].lam;
  let best = 0;
  for (let i = 1; i < lams.length; i += 1) {
    if (Math.abs(lams[i] - lam) < Math.abs(lams[best] - lam)) best = i;
  }
  return best;
}

function moveCursor() {
  const { lam, n_positive: sizes } = stages[state.stage];
  const x = curveScale.x(lam[state.step]);
  const [line, circle] = curveCursor.children;
  line.setAttribute("x1", x);
  line.setAttribute("x2", x);
  circle.setAttribute("cx", x);
  circle.setAttribute("cy", curveScale.y(sizes[state.step] / nSamples));
}

function startCuts() {
  slider.addEventListener("input", () => setCut(state.stage, Number(slider.value)));
  document.querySelectorAll("input[name=stage]").forEach((radio) => {
    radio.addEventListener("change", () => {
      const stage = Number(radio.value);
      setCut(stage, stage === choice.stage - 1 ? choice.step : nearestInSize(stage));
    });
  });
  byId("to-chosen").addEventListener("click", () => setCut(choice.stage - 1, choice.step));
  canvas.addEventListener("click", (event) => {
    const row = pointNear(event);
    if (row >= 0) select(row);
  });
  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in ARROWS)) return;
    event.preventDefault();
    const row = pointTowards(...ARROWS[event.key]);
    if (row >= 0) select(row);
  });
  on("cut", () => { showSlider(); describeCut(); drawMap(); moveCursor(); });
  on("selected", drawMap);
  on("theme", drawMap);
  const fit = () => { fitCanvas(); drawMap(); drawCurve(); };
  new ResizeObserver(fit).observe(canvas.parentElement);
  fit();
  setCut(state.stage, state.step);
}

// The partition of a stage with about as many positives as the chosen one.
function nearestInSize(stage) {
  const sizes = stages[stage].n_positive;
  let best = 0;
  sizes.forEach((size, i) => {
    if (Math.abs(size - choice.n_positive) < Math.abs(sizes[best] - choice.n_positive)) best = i;
  });
  return best;
}
