// One model's episode of one case. `data-from` says from which step on an element shows (see reveal).
const LONG = 700;
const END = "end";

function panel(content, item, model, letter, choice) {
  const episode = item.episodes[model];
  const head = make("h3", {}, make("span", { className: `letter ${letter}`, text: letter.toUpperCase() }), ` ${model} `);
  const section = make("section", { className: `panel ${letter}`, "aria-label": `Model ${model}` }, head);
  if (!episode) {
    section.append(make("p", { className: "missing", text: "This model has no episode of this case." }));
    return section;
  }
  head.append(make("span", { data: { from: END } }, badge(episode.verdicts[choice.threshold])));
  section.append(summary(content, item, episode, choice), steps(content, item, episode), missed(content, item, episode));
  section.append(promptOf(content, episode));
  return section;
}

function summary(content, item, episode, choice) {
  const cut = choice.threshold === "own" ? episode.threshold : 0.5;
  const source = choice.threshold === "own" ? episode.source : "";
  const drawn = content.conditions.length ? [] : [scale(item, episode, cut, source, content.scorers[0])];
  const ending = make("div", { data: { from: END } }, ...drawn);
  return make("div", { className: "summary" }, ending, facts(item, episode), rewards(episode));
}

function facts(item, episode) {
  const calls = episode.turns.filter((turn) => turn.call).length;
  const parts = [
    amount(calls, "call"),
    episode.cost === undefined ? "" : `${episode.cost.toLocaleString("en")} USD`,
    item.reference.length ? `${episode.hits.length} of ${item.reference.length} in the reference set` : "",
    episode.tokens ? `${amount(episode.tokens.response, "token")} (${episode.tokens.written} written)` : "",
    numbersOf(episode),
    episode.finish === "answered" ? "" : FINISHES[episode.finish] ?? plain(episode.finish),
  ];
  const line = make("p", { className: "facts", text: parts.filter(Boolean).join(" · ") });
  const faults = episode.faults.map((fault) => make("span", { className: "fault", text: `! ${faultName(fault)}` }));
  return make("div", { data: { from: END } }, line, faults.length ? make("p", { className: "faults" }, ...faults) : null);
}

function numbersOf(episode) {
  const stated = episode.numbers.filter((one) => one.verdict !== "unverifiable");
  const wrong = stated.filter((one) => one.verdict !== "correct").length;
  return stated.length ? `${wrong} of ${amount(stated.length, "stated number")} wrong` : "";
}

function rewards(episode) {
  if (!episode.reward) return null;
  const { total, ...parts } = episode.reward;
  const list = make("dl", { className: "reward", data: { from: END } });
  for (const [name, value] of [["reward", total], ...Object.entries(parts)]) {
    list.append(make("div", {}, make("dt", { text: name }), make("dd", { text: value.toFixed(2) })));
  }
  return list;
}

function steps(content, item, episode) {
  const list = make("ol", { className: "steps" });
  episode.turns.forEach((turn, place) => {
    const last = place === episode.turns.length - 1;
    list.append(step(content, item, episode, turn, place + 1, last));
  });
  return list;
}

function step(content, item, episode, turn, number, last) {
  const text = (place) => content.texts[place];
  const element = make("li", { className: "step", data: { from: number, step: number } });
  element.append(turn.call ? callHead(content, item, turn, number) : endHead(episode, number, last));
  if (text(turn.said)) element.append(words(text(turn.said)));
  for (const one of episode.numbers) if (one.turn === number - 1 && one.verdict.startsWith("wrong")) element.append(numberNote(content, one));
  for (const fault of turn.faults) element.append(make("p", { className: "fault", text: `! ${faultName(fault)}` }));
  const raw = text(turn.block);
  const clean = turn.call ? turn.call.outcome in OUTCOMES : episode.finish === "answered";
  if (raw && !(clean && !turn.faults.length)) element.append(make("pre", { className: "raw", text: raw }));
  if (text(turn.discarded).trim()) {
    element.append(folded("discarded, after the closing tag", "raw", false, make("pre", { text: text(turn.discarded) })));
  }
  if (turn.reply !== null) element.append(observation(text(turn.reply), turn.call));
  if (turn.answer_turn) element.append(make("p", { className: "note", text: "Call budget spent: one more turn, to answer." }));
  return element;
}

function callHead(content, item, turn, number) {
  const { function: name, outcome, rows } = turn.call;
  const ran = outcome === "ok" || outcome === "empty";
  const [kind, description] = content.functions[name] ?? ["", null];
  const head = make("div", { className: "head" }, make("span", { className: "number", text: number }));
  head.append(make("code", { text: name === null ? "no readable call" : name.trim() || "(blank name)", title: description }));
  if (item.reference.includes(name)) head.append(make("span", { className: "tag reference", text: "★ reference set" }));
  if (kind === "detail") head.append(make("span", { className: "tag", text: "detail" }));
  if (turn.forced) head.append(make("span", { className: "tag", text: "written by the study" }));
  head.append(make("span", { className: ran ? "outcome" : "outcome odd", text: OUTCOMES[outcome] ?? faultName(outcome) }));
  if (rows) head.append(make("span", { className: "rows", text: `source ${/^\d+$/.test(rows) ? "row" : "rows"} ${rows}` }));
  return head;
}

function endHead(episode, number, last) {
  const head = make("div", { className: "head" }, make("span", { className: "number", text: number }));
  const answer = last ? episode.answer ?? episode.p : null;
  head.append(make("strong", { text: answer !== null ? `Answer: ${plain(String(answer))}` : FINISHES[episode.finish] ?? plain(episode.finish) }));
  if (answer === null && episode.p_lenient !== null) {
    head.append(make("span", { className: "tag", text: `a generous reader takes ${episode.p_lenient}` }));
  }
  return head;
}

function words(text) {
  const shown = make("blockquote", { className: "said", "aria-label": "The model's own words" });
  if (text.length <= LONG) {
    shown.textContent = text;
    return shown;
  }
  const rest = folded(`all ${text.length.toLocaleString("en")} characters`, "rest", false, make("p", { text }));
  shown.append(make("p", { text: `${text.slice(0, LONG / 2)} …` }), rest);
  return shown;
}

function numberNote(content, one) {
  return make("p", { className: "fault", text: `! ${one.number}: ${NUMBERS[one.verdict]} (“${content.texts[one.sentence]}”)` });
}

function observation(text, call) {
  const ran = call && (call.outcome === "ok" || call.outcome === "empty");
  const [first, ...others] = text.split("\n");
  const box = make("div", { className: ran ? "observation" : "observation notice", role: "group", "aria-label": ran ? "What the record said" : "Notice" });
  box.append(make("p", { className: "headline", text: first }));
  if (others.length) box.append(make("p", { className: "lines", text: others.join("\n") }));
  return box;
}

function missed(content, item, episode) {
  const names = item.reference.filter((name) => !episode.hits.includes(name));
  if (!names.length) return make("div");
  const box = make("div", { className: "missed", data: { from: END } }, make("h4", { text: "Reference set, not read" }));
  for (const name of names) {
    const text = content.texts[item.reference_texts[name]] ?? "";
    box.append(folded(name, "unread", false, make("p", { className: "lines", text })));
  }
  return box;
}

function promptOf(content, episode) {
  const parts = episode.prompt.flatMap(([role, place]) => [
    make("h5", { text: role }),
    make("p", { className: "lines", text: content.texts[place] }),
  ]);
  return folded("Prompt as sent (without the functions' schemas)", "prompt screen", false, ...parts);
}
