// The slider through all partitions and the curve of their shares, where the method has stages.

const slider = byId("step");

function describeCut() {
  const { stage, step } = state;
  const { lam, n_positive: sizes } = stages[stage];
  const size = sizes[step];
  let drawn = 0;
  for (const row of plane.drawn) drawn += isInside(stage, step, row);
  const isChosen = stage === partition.stage - 1 && step === partition.step;
  const away = size - report.n_positive;
  const parts = [
    `Stage ${stage + 1}, partition ${grouped(step + 1)} of ${grouped(lam.length)}: λ = ${short(lam[step], 4)}. `,
    make("b", {}, `${plural(size, "row", "rows")} positive, ${percent(size / nSamples)}`),
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
    `λ ${short(lam[step], 4)}, ${size} of ${nSamples} rows positive${isChosen ? ", chosen" : ""}`,
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
  mark.hidden = state.stage !== partition.stage - 1;
  const share = last === 0 ? 0 : partition.step / last;
  // The thumb's centre does not reach the ends of the track.
  mark.style.left = `calc(${share} * (100% - 16px) + 8px)`;
  mark.className = `mark${share < 0.05 ? " at-start" : ""}${share > 0.95 ? " at-end" : ""}`;
}

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
    "aria-label": "Share of positive rows over lambda: in stage 1 it falls, in stage 2 it rises. The slider reads out every point.",
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
  const mine = stages[partition.stage - 1];
  const [cx, cy] = [x(mine.lam[partition.step]), y(mine.n_positive[partition.step] / nSamples)];
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
      setCut(stage, stage === partition.stage - 1 ? partition.step : nearestInSize(stage));
    });
  });
  byId("to-chosen").addEventListener("click", () => setCut(partition.stage - 1, partition.step));
  const drawMap = startMap(
    byId("cut-map"),
    (row) => isInside(state.stage, state.step, row),
    (row) => !rows.is_labelled[row] && stages[state.stage].turn[row] === state.step,
  );
  on("cut", () => { showSlider(); describeCut(); drawMap(); moveCursor(); });
  drawCurve();
  new ResizeObserver(drawCurve).observe(byId("curve"));
  setCut(state.stage, state.step);
}

// The partition of a stage with about as many positives as the chosen one.
function nearestInSize(stage) {
  const sizes = stages[stage].n_positive;
  let best = 0;
  sizes.forEach((size, i) => {
    if (Math.abs(size - report.n_positive) < Math.abs(sizes[best] - report.n_positive)) best = i;
  });
  return best;
}
