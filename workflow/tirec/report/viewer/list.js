// Controls on the left: filters with the number of cases behind every option, and the list of cases.
function picker(key, name, options, value, onChange) {
  const field = make("select", { id: `pick-${key}`, name: key });
  for (const [code, text] of options) field.append(make("option", { value: code, text }));
  field.value = value;
  field.addEventListener("change", () => onChange(key, field.value));
  return make("div", { className: "field" }, make("label", { for: field.id, text: name }), field);
}

function facetOptions(content, all, facet, choice) {
  const others = selected(content, all, choice, facet.key);
  const counted = facet.options.map(([value, name, test]) => [value, name, others.filter((item) => test(item, choice)).length]);
  const shown = counted.filter(([value, , n]) => n > 0 || value === choice[facet.key]);
  return [["", `all (${others.length})`], ...shown.map(([value, name, n]) => [value, `${name} (${n})`])];
}

function fillFilters(form, ordering, content, all, choice, onChange) {
  const focused = document.activeElement?.id;
  const models = content.models.map((model) => [model, model]);
  const thresholds = [["own", "validation B"], ["half", "0.5"]];
  const fields = [
    picker("a", "Model A", models, choice.a, onChange),
    picker("b", "Model B", [["", "none"], ...models], choice.b, onChange),
    ...all.map((facet) => picker(facet.key, facet.label, facetOptions(content, all, facet, choice), choice[facet.key], onChange)),
    ...(content.conditions.length ? [] : [picker("threshold", "Flagged at threshold", thresholds, choice.threshold, onChange)]),
  ];
  const orders = ordersOf(content).map(([code, [name]]) => [code, name]);
  const search = form.querySelector(".search") ?? searchField(choice, onChange);
  form.replaceChildren(...fields, search);
  ordering.replaceChildren(picker("order", "Order", orders, choice.order, onChange));
  if (focused) document.getElementById(focused)?.focus();
}

function searchField(choice, onChange) {
  const field = make("input", { id: "search", type: "search", placeholder: "view, observation, words", autocomplete: "off", spellcheck: "false" });
  field.value = choice.text;
  field.addEventListener("input", () => onChange("text", field.value));
  return make("div", { className: "field search" }, make("label", { for: "search", text: "Search (/)" }), field);
}

function fillList(list, items, choice, current, onPick) {
  const rows = items.map((item) => listRow(item, choice, item.id === current, onPick));
  list.replaceChildren(...rows);
  if (!rows.length) list.append(make("li", { className: "nothing", text: "No case fits these filters." }));
  markRow(list, current);
}

function listRow(item, choice, isCurrent, onPick) {
  const row = make("li", { role: "option", id: `row-${item.id}`, "aria-selected": String(isCurrent) });
  row.append(make("span", { className: "what", text: `${item.id} · ${SHORT_TASKS[item.task]} ${item.setting}`.trim() }));
  row.append(make("span", { className: "ending", text: event(item) }));
  for (const [letter, model] of [["A", choice.a], ["B", choice.b]]) if (model) row.append(rowAnswer(item, letter, model, choice));
  row.addEventListener("click", () => onPick(item.id));
  return row;
}

function rowAnswer(item, letter, model, choice) {
  const answer = answerOf(item, model);
  const verdict = VERDICTS[verdictOf(item, model, choice)];
  const said = answer && answered(answer);
  const text = answer ? `${letter} ${said ?? "no answer"}` : `${letter} no episode`;
  const sign = said ? ` ${verdict.sign} ${verdict.short}` : "";
  const kind = !said ? "none" : verdict.good ? "right" : "wrong";
  return make("span", { className: `ending answer ${kind}`, text: text + sign });
}

function markRow(list, current) {
  for (const row of list.querySelectorAll('[aria-selected="true"]')) row.setAttribute("aria-selected", "false");
  const row = document.getElementById(`row-${current}`);
  if (!row) {
    list.removeAttribute("aria-activedescendant");
    return;
  }
  row.setAttribute("aria-selected", "true");
  list.setAttribute("aria-activedescendant", row.id);
  row.scrollIntoView({ block: "nearest" });
}
