// What codes mean to a reader.
const TASKS = { disposition: "Disposition", decompensation: "Decompensation", revisit: "Revisit", diagnosis: "Diagnosis" };
const SHORT_TASKS = { ...TASKS, decompensation: "Decomp." };
const QUESTIONS = {
  disposition: () => "Will the patient be admitted?",
  decompensation: (item) => `Will the patient deteriorate within ${item.horizon}?`,
  revisit: (item) => `Will the patient come back within ${item.horizon}?`,
  diagnosis: () => "Which condition is it?",
};
const HAPPENED = {
  disposition: ["Discharged", "Admitted"],
  decompensation: ["Stayed stable", "Deteriorated"],
  revisit: ["Did not return", "Returned"],
};
const VERDICTS = {
  tp: { sign: "✓", short: "TP", long: "true positive", good: true },
  tn: { sign: "✓", short: "TN", long: "true negative", good: true },
  fp: { sign: "✗", short: "FP", long: "false positive", good: false },
  fn: { sign: "✗", short: "FN", long: "false negative", good: false },
  right: { sign: "✓", short: "right", long: "right diagnosis", good: true },
  wrong: { sign: "✗", short: "wrong", long: "wrong diagnosis", good: false },
  unanswered: { sign: "–", short: "n/a", long: "unanswered", good: false },
};
const FAULTS = {
  text_after: "text after the closing tag",
  second_block: "more than one block in a turn",
  unopened: "closing tag without an opening one",
  unclosed: "tag not closed",
  tool_response: "wrote a tool response itself",
  think: "wrote a think tag",
  control: "wrote a control token",
  other_dialect: "another call syntax",
  unknown_function: "unknown function",
  bad_arguments: "bad arguments",
  bad_json: "call is not valid JSON",
  over_budget: "call beyond the budget",
  bad_answer: "answer is no probability",
};
const FINISHES = {
  answered: "answered",
  no_answer: "ended without an answer",
  bad_answer: "answer is no probability",
  length: "cut by length",
  turns: "turns spent without a diagnosis",
  invalid: "a turn that cannot be read",
};
const NUMBERS = {
  correct: "right",
  wrong_value: "value not in what was read",
  wrong_direction: "wrong direction",
  unverifiable: "cannot be checked",
};
const OUTCOMES = { ok: "read", empty: "nothing recorded", repeated: "repeated" };

const plain = (code) => code.replaceAll("_", " ");
const faultName = (code) => FAULTS[code] ?? plain(code);
const happened = (item) => (item.happened ? plain(item.happened) : HAPPENED[item.task][item.label]);
const event = (item) => (item.happened ? happened(item) : `${item.label ? "●" : "○"} ${happened(item)}`);
const risk = (p) => (p === null || p === undefined ? "none" : p.toFixed(p > 0 && p < 0.01 ? 3 : 2));
// A probability, or the diagnosis of a dialogue; null where nothing was answered.
const answered = (answer) => (answer.answer ? plain(answer.answer) : answer.p === null ? null : risk(answer.p));
const amount = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
