// p, the tree's risk and the threshold on one line from 0 to 1.
const WIDTH = 300;
const EDGE = 22;
const along = (value) => EDGE + value * (WIDTH - 2 * EDGE);

function scale(item, episode, cut, source, scorer) {
  const score = scorer ? item.scores[scorer] : null;
  const threshold = `threshold ${risk(cut)}${source ? ` (${source})` : ""}`;
  const said = [
    episode.p === null ? "no answer" : `p ${risk(episode.p)}`,
    threshold,
    score && score.p !== null ? `${scorer} ${risk(score.p)}` : "",
  ];
  const picture = draw("svg", { viewBox: `0 0 ${WIDTH} 45`, class: "scale", role: "img", "aria-label": said.filter(Boolean).join(", ") });
  picture.append(draw("line", { x1: along(0), x2: along(1), y1: 22, y2: 22, class: "axis" }));
  picture.append(draw("line", { x1: along(cut), x2: along(1), y1: 22, y2: 22, class: "flagged" }));
  picture.append(label(4, 26, "0", 0), label(WIDTH - 4, 26, "1", 1));
  picture.append(draw("line", { x1: along(cut), x2: along(cut), y1: 13, y2: 31, class: "cut" }));
  picture.append(label(along(cut), 42, threshold, cut));
  if (score && score.p !== null) picture.append(diamond(along(score.p), 22));
  if (episode.p !== null) picture.append(draw("circle", { cx: along(episode.p), cy: 22, r: 6, class: "point" }));
  if (episode.p !== null) picture.append(label(along(episode.p), 10, `p ${risk(episode.p)}`, episode.p, "strong"));
  return picture;
}

function label(x, y, text, value, className = "") {
  const anchor = value < 0.25 ? "start" : value > 0.75 ? "end" : "middle";
  return draw("text", { x, y, "text-anchor": anchor, class: className }, text);
}

const diamond = (x, y) => draw("path", { d: `M${x} ${y - 6} L${x + 6} ${y} L${x} ${y + 6} L${x - 6} ${y} Z`, class: "other" });
