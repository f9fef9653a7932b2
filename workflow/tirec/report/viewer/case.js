// The whole view of one case: what is known of it, and one or two episodes side by side.
const stepsOf = (item, model) => item.episodes[model]?.turns.length ?? 0;
const lastStep = (item, choice) => Math.max(stepsOf(item, choice.a), choice.b ? stepsOf(item, choice.b) : 0);

function caseView(content, item, choice) {
  const view = make("article", { className: "case", "aria-labelledby": "case-title" });
  const start = make("section", { className: "view", "aria-label": "Initial view" },
    make("h3", { text: "Initial view" }), make("p", { className: "lines", text: content.texts[item.view] }));
  view.append(caseHead(content, item), make("div", { className: "about" }, caseFacts(content, item, choice), start));
  const shown = [["a", choice.a], ["b", choice.b]].filter(([, model]) => model);
  const panels = make("div", { className: shown.length > 1 ? "panels two" : "panels" });
  for (const [letter, model] of shown) panels.append(panel(content, item, model, letter, choice));
  view.append(panels);
  return view;
}

function kindOf(item) {
  const asked = `${TASKS[item.task]} ${item.setting}`.trim();
  return `${asked}. ${QUESTIONS[item.task](item)}${item.cutoff ? ` Evidence up to ${item.cutoff}.` : ""}`;
}

function caseHead(content, item) {
  const title = `Case ${item.id}`;
  return make("header", { className: "case-head" },
    make("h2", { id: "case-title", tabindex: "-1", text: title }),
    make("p", { className: "kind", text: kindOf(item) }),
    ...item.why.map((rule) => make("p", { className: "kind", text: `Picked because: ${content.rules[rule]}.` })));
}

function caseFacts(content, item, choice) {
  const list = make("dl", { className: "known" });
  const add = (name, ...values) => list.append(make("div", {}, make("dt", { text: name }), ...values));
  const ending = make("strong", { className: `event ${item.label ? "yes" : "no"}`, text: event(item) });
  add("What happened", make("dd", { data: { from: END } }, ending), later());
  for (const name of content.scorers) {
    const score = item.scores[name];
    const verdict = score.verdicts[choice.threshold];
    const cut = choice.threshold === "own" ? score.threshold : 0.5;
    const said = make("dd", { data: { from: END }, text: `◆ ${risk(score.p)} ` }, badge(verdict), make("small", { text: ` at ${risk(cut)}` }));
    add(name === "teacher" ? "Tree teacher's risk" : name, said, later());
  }
  if (!content.conditions.length) add("Reference set", make("dd", {}, ...referenceSet(item, choice)));
  return list;
}

const later = () => make("dd", { className: "later", text: "hidden until the end" });

function referenceSet(item, choice) {
  if (!item.reference.length) return [make("em", { text: "empty" })];
  const models = [["A", choice.a], ["B", choice.b]].filter(([, model]) => model && item.episodes[model]);
  return item.reference.map((name) => {
    const read = models.filter(([, model]) => item.episodes[model].hits.includes(name)).map(([letter]) => letter);
    const note = make("small", { data: { from: END }, text: read.length ? ` ✓ ${read.join(" ")}` : " not read" });
    return make("span", { className: "function" }, make("code", { text: name }), note);
  });
}

// Shows what belongs to this step; without step-by-step everything is shown and the step only marked.
function reveal(root, step, last, blind) {
  for (const element of root.querySelectorAll("[data-from]")) {
    const from = element.dataset.from === END ? last + 1 : Number(element.dataset.from);
    element.hidden = blind && from > step;
  }
  for (const element of root.querySelectorAll(".later")) element.hidden = !(blind && step <= last);
  for (const element of root.querySelectorAll(".step")) {
    const current = Number(element.dataset.step) === step;
    element.classList.toggle("current", current);
    if (current) element.setAttribute("aria-current", "step");
    else element.removeAttribute("aria-current");
  }
  align(root);
}

// Moves the higher of two panels down until the steps that are being read stand side by side; returns those steps.
function align(root) {
  const panels = [...root.querySelectorAll(".panel")];
  for (const part of panels) part.style.marginTop = "";
  if (!root.querySelector(".step.current")) return [];
  const steps = panels.map((part) => part.querySelector(".step.current") ?? [...part.querySelectorAll(".step:not([hidden])")].at(-1));
  const [one, other] = steps.map((element) => element?.getBoundingClientRect());
  if (one && other && one.left !== other.left) {
    const higher = one.top < other.top ? panels[0] : panels[1];
    higher.style.marginTop = `${Math.abs(one.top - other.top)}px`;
  }
  return steps.filter(Boolean);
}
