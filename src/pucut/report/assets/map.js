// Maps of the rows: one by their classes, and one by the cut the slider is at, where there are cuts.

const SMALLEST_RADIUS = 1.8;
const LARGEST_RADIUS = 4;
const REACH = 18; // pixels from a click to a point

// Colours come from the style sheet, whichever theme is on.
function colours() {
  const of = (name) => getComputedStyle(document.querySelector(`.swatch-${name}`)).color;
  return {
    positive: of("positive"), negative: of("negative"), labelled: of("labelled"),
    refused: rows.is_known_negative === null ? null : of("known-negative"),
    ink: getComputedStyle(document.body).color,
    paper: getComputedStyle(document.body).backgroundColor,
  };
}

function drawDiamond(pen, x, y, r) {
  pen.beginPath();
  pen.moveTo(x, y - r);
  pen.lineTo(x + r, y);
  pen.lineTo(x, y + r);
  pen.lineTo(x - r, y);
  pen.fill();
}

function drawCross(pen, x, y, r) {
  pen.beginPath();
  pen.moveTo(x - r, y - r);
  pen.lineTo(x + r, y + r);
  pen.moveTo(x - r, y + r);
  pen.lineTo(x + r, y - r);
  pen.stroke();
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// `isInside` says which rows are drawn as found, `isTurning` which have a ring. Returns a function
// that draws the map again.
function startMap(canvas, isInside, isTurning) {
  let frame = { width: 0, height: 0, radius: 2, ratio: 1 };

  function fitCanvas() {
    const width = canvas.parentElement.clientWidth;
    const height = Math.round(Math.max(width / Math.max(plane.ratio, 1.6), Math.min(width, 300)));
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
    const r = frame.radius;
    pen.setTransform(frame.ratio, 0, 0, frame.ratio, 0, 0);
    pen.clearRect(0, 0, frame.width, frame.height);
    const groups = { outside: [], inside: [], labelled: [], refused: [], turning: [] };
    for (const row of plane.drawn) {
      if (rows.is_labelled[row]) groups.labelled.push(row);
      else if (isNegative(row)) groups.refused.push(row);
      else groups[isInside(row) ? "inside" : "outside"].push(row);
      if (isTurning(row)) groups.turning.push(row);
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
    pen.strokeStyle = colour.refused;
    for (const row of groups.refused) drawCross(pen, ...placeOf(row), r);
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
  on("selected", drawMap);
  on("theme", drawMap);
  // A folded map has no width; it is drawn when it is unfolded.
  const fit = () => { if (canvas.parentElement.clientWidth) { fitCanvas(); drawMap(); } };
  new ResizeObserver(fit).observe(canvas.parentElement);
  fit();
  return drawMap;
}
