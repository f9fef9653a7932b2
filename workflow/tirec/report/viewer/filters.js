// Which cases are selected, in which order. Pure functions of the content and the reader's choice.
const isRight = (verdict) => ["tp", "tn", "right"].includes(verdict);
const isFlagged = (verdict) => verdict === "tp" || verdict === "fp";
const answerOf = (item, model) => item.episodes[model] ?? item.scores[model] ?? null;
const verdictOf = (item, model, choice) => answerOf(item, model)?.verdicts[choice.threshold] ?? "unanswered";
const decisionOf = (verdict) => (verdict === "unanswered" ? "none" : isFlagged(verdict) ? "yes" : "no");

function agreementTests(content) {
  const decision = (item, model, choice) => answerOf(item, model)?.answer ?? decisionOf(verdictOf(item, model, choice));
  const right = (item, model, choice) => isRight(verdictOf(item, model, choice));
  const decisions = (item, choice) => new Set(content.models.map((model) => decision(item, model, choice)));
  const pair = [
    ["ab_differ", "A and B decide differently", (i, c) => decision(i, c.a, c) !== decision(i, c.b, c)],
    ["ab_same", "A and B decide alike", (i, c) => decision(i, c.a, c) === decision(i, c.b, c)],
    ["a_right", "only A is right", (i, c) => right(i, c.a, c) && !right(i, c.b, c)],
    ["b_right", "only B is right", (i, c) => !right(i, c.a, c) && right(i, c.b, c)],
    ["both_right", "A and B are right", (i, c) => right(i, c.a, c) && right(i, c.b, c)],
    ["both_wrong", "neither is right", (i, c) => !right(i, c.a, c) && !right(i, c.b, c)],
  ].map(([key, name, test]) => [key, name, (i, c) => Boolean(c.b) && test(i, c)]);
  const all = [
    ["all_differ", "all models: some differ", (i, c) => decisions(i, c).size > 1],
    ["all_same", "all models: all alike", (i, c) => decisions(i, c).size === 1],
  ];
  const others = content.scorers.flatMap((name) => [
    [`differ:${name}`, `A differs from ${name}`, (i, c) => decision(i, c.a, c) !== decision(i, name, c)],
    [`beaten:${name}`, `A wrong, ${name} right`, (i, c) => !right(i, c.a, c) && right(i, name, c)],
    [`beats:${name}`, `A right, ${name} wrong`, (i, c) => right(i, c.a, c) && !right(i, name, c)],
  ]);
  return [...pair, ...(content.models.length > 2 ? all : []), ...others];
}

function diagnosisTests(content) {
  const is = (kind) => (item, choice) => verdictOf(item, choice.a, choice) === kind;
  const said = content.conditions.map((name) => [`said:${name}`, `says ${plain(name)}`, (item, choice) => item.episodes[choice.a]?.answer === name]);
  return [["right", "right diagnosis", is("right")], ["wrong", "wrong diagnosis", is("wrong")], ["unanswered", "no diagnosis", is("unanswered")], ...said];
}

function resultTests() {
  const is = (...kinds) => (item, choice) => kinds.includes(verdictOf(item, choice.a, choice));
  const ended = (finish) => (item, choice) => item.episodes[choice.a]?.finish === finish;
  return [
    ["fp", "false positive", is("fp")],
    ["fn", "false negative", is("fn")],
    ["tp", "true positive", is("tp")],
    ["tn", "true negative", is("tn")],
    ["wrong", "any error (FP or FN)", is("fp", "fn")],
    ["unanswered", "unanswered", is("unanswered")],
    ...["length", "no_answer", "bad_answer"].map((finish) => [finish, `… ${FINISHES[finish]}`, ended(finish)]),
  ];
}

function faultTests(content) {
  const faults = (item, choice) => item.episodes[choice.a]?.faults ?? [];
  const kinds = new Set(content.cases.flatMap((item) => Object.values(item.episodes).flatMap((one) => one.faults)));
  return [
    ["any", "any fault", (i, c) => faults(i, c).length > 0],
    ["none", "no fault", (i, c) => faults(i, c).length === 0],
    ...[...kinds].sort().map((kind) => [`is:${kind}`, faultName(kind), (i, c) => faults(i, c).includes(kind)]),
  ];
}

function numberTests() {
  const has = (...kinds) => (item, choice) => (item.episodes[choice.a]?.numbers ?? []).some((one) => kinds.includes(one.verdict));
  return [
    ["wrong", "any wrong", has("wrong_value", "wrong_direction")],
    ...Object.entries(NUMBERS).map(([kind, name]) => [`is:${kind}`, name, has(kind)]),
  ];
}

function ruleTests(content) {
  return Object.keys(content.rules).map((rule) => [rule, rule, (item) => item.why.includes(rule)]);
}

// Every filter: key, label, and its options as [value, name, test(item, choice)].
function facets(content) {
  const used = content.conditions.length ? diagnosisFacets(content) : riskFacets(content);
  return used.map(([key, label, options]) => ({ key, label, options }));
}

function diagnosisFacets(content) {
  return [
    ["label", "What happened", content.conditions.map((name) => [name, plain(name), (item) => item.happened === name])],
    ["result", "Diagnosis of A", diagnosisTests(content)],
    ["fault", "Format of A", faultTests(content)],
    ["agreement", "Agreement", agreementTests(content)],
  ];
}

function riskFacets(content) {
  const tasks = Object.entries(content.settings).flatMap(([task, settings]) => [
    [task, TASKS[task], (item) => item.task === task],
    ...settings.map((name) => [`${task}:${name}`, `… ${name}`, (item) => item.task === task && item.setting === name]),
  ]);
  return [
    ["task", "Task and horizon", tasks],
    ["label", "What happened", [
      ["1", "the event (positive)", (item) => item.label === 1],
      ["0", "no event (negative)", (item) => item.label === 0],
    ]],
    ["result", "Answer of A", resultTests()],
    ["fault", "Format of A", faultTests(content)],
    ["numbers", "Numbers A states", numberTests()],
    ["agreement", "Agreement", agreementTests(content)],
    ...(Object.keys(content.rules).length ? [["why", "Picked because", ruleTests(content)]] : []),
  ];
}

function passes(facet, item, choice) {
  const option = facet.options.find(([value]) => value === choice[facet.key]);
  return option ? option[2](item, choice) : true;
}

const withEpisode = (item, choice) => Boolean(item.episodes[choice.a]);

function selected(content, all, choice, except = null) {
  const used = all.filter((facet) => facet.key !== except && choice[facet.key]);
  const found = content.cases.filter((item) => used.every((facet) => passes(facet, item, choice)));
  return found.filter((item) => withEpisode(item, choice) && contains(content, item, choice.text));
}

function contains(content, item, words) {
  const wanted = words.trim().toLowerCase();
  return !wanted || textOf(content, item).includes(wanted);
}

// All that can be searched of a case, in lower case; made once.
const searchable = new Map();
function textOf(content, item) {
  if (!searchable.has(item.id)) {
    const turns = Object.values(item.episodes).flatMap((episode) => episode.turns);
    const places = [item.view, ...turns.flatMap((turn) => [turn.said, turn.block, turn.discarded, turn.reply])];
    const texts = [...new Set(places)].filter((place) => place !== null).map((place) => content.texts[place]);
    searchable.set(item.id, [item.id, ...texts].join("\n").toLowerCase());
  }
  return searchable.get(item.id);
}

// What needs a probability is not offered for diagnoses.
const ordersOf = (content) => Object.entries(ORDERS).filter(([, [, , risks]]) => !(risks && content.conditions.length));
const ORDERS = {
  number: ["case number", (item) => item.id],
  error: ["largest error of A first", (item, choice) => -errorOf(item, choice.a), true],
  gap: ["A and B furthest apart first", (item, choice) => -gapOf(item, choice), true],
  risk: ["highest p of A first", (item, choice) => -(answerOf(item, choice.a)?.p ?? -1), true],
  calls: ["most calls of A first", (item, choice) => -callsOf(item.episodes[choice.a])],
};
const errorOf = (item, model) => {
  const p = answerOf(item, model)?.p ?? null;
  return p === null ? -1 : Math.abs(p - item.label);
};
const gapOf = (item, choice) => {
  const [one, other] = [choice.a, choice.b].map((model) => answerOf(item, model)?.p ?? null);
  return one === null || other === null ? -1 : Math.abs(one - other);
};
const callsOf = (episode) => (episode ? episode.turns.filter((turn) => turn.call).length : -1);

function ordered(items, choice) {
  const key = (ORDERS[choice.order] ?? ORDERS.number)[1];
  return [...items].sort((one, other) => key(one, choice) - key(other, choice) || one.id - other.id);
}
