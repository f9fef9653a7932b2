// State, its trace in the address, and the keys.
const byId = (id) => document.getElementById(id);

// At first the first and the last model stand side by side.
function emptyChoice(content) {
  const a = content.models[0];
  const b = content.models.length > 1 ? content.models.at(-1) : "";
  const filters = { task: "", label: "", result: "", fault: "", numbers: "", agreement: "", why: "", text: "" };
  return { a, b, threshold: "own", order: "number", ...filters };
}

class Page {
  constructor(content) {
    this.content = content;
    this.facets = facets(content);
    this.blind = false;
    this.step = 0;
    this.current = null;
    this.items = [];
    this.readAddress();
    this.listen();
    this.refresh();
  }

  readAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    this.choice = emptyChoice(this.content);
    for (const key of Object.keys(this.choice)) if (given.has(key)) this.choice[key] = given.get(key);
    this.choice = this.known(this.choice);
    this.current = Number(given.get("case")) || null;
  }

  // An address may be old: what this page does not have falls back to the usual.
  known(choice) {
    const usual = emptyChoice(this.content);
    const allowed = { threshold: ["own", "half"], order: Object.keys(ORDERS), a: this.content.models, b: ["", ...this.content.models] };
    for (const facet of this.facets) allowed[facet.key] = ["", ...facet.options.map(([value]) => value)];
    for (const [key, values] of Object.entries(allowed)) if (!values.includes(choice[key])) choice[key] = usual[key];
    return choice;
  }

  writeAddress() {
    const usual = emptyChoice(this.content);
    const changed = Object.entries(this.choice).filter(([key, value]) => value !== usual[key]);
    const address = new URLSearchParams([...(this.current === null ? [] : [["case", this.current]]), ...changed]);
    history.replaceState(null, "", `#${address}`);
  }

  change(key, value) {
    this.choice = { ...this.choice, [key]: value };
    this.refresh();
  }

  refresh() {
    this.items = ordered(selected(this.content, this.facets, this.choice), this.choice);
    fillFilters(byId("filters"), byId("ordering"), this.content, this.facets, this.choice, (key, value) => this.change(key, value));
    const known = this.items.some((item) => item.id === this.current);
    if (!known) this.current = this.items[0]?.id ?? null;
    fillList(byId("list"), this.items, this.choice, this.current, (id) => this.pick(id));
    byId("count").textContent = `${this.items.length} of ${amount(this.content.cases.length, "case")}`;
    this.show();
  }

  show() {
    this.step = 0;
    const item = this.item();
    const view = item ? caseView(this.content, item, this.choice) : make("p", { className: "loading", text: "No case fits these filters." });
    byId("case").replaceChildren(view);
    byId("case").scrollTop = 0;
    this.mark();
    this.writeAddress();
  }

  item() {
    return this.items.find((one) => one.id === this.current) ?? null;
  }

  mark() {
    const item = this.item();
    if (item) reveal(byId("case"), this.step, lastStep(item, this.choice), this.blind);
    document.body.classList.toggle("blind", this.blind);
    byId("blind").setAttribute("aria-pressed", String(this.blind));
  }

  pick(id) {
    this.current = id;
    markRow(byId("list"), id);
    this.show();
    const place = this.items.findIndex((item) => item.id === id) + 1;
    byId("spoken").textContent = `Case ${id}, ${place} of ${this.items.length}`;
  }

  // by: -1 or 1, or Infinity for the ends
  move(by) {
    const place = this.items.findIndex((item) => item.id === this.current);
    const next = Math.min(Math.max(place + by, 0), this.items.length - 1);
    if (this.items.length && next !== place) this.pick(this.items[next].id);
  }

  stepBy(by) {
    const item = this.item();
    if (!item) return;
    const last = lastStep(item, this.choice) + (this.blind ? 1 : 0);
    this.step = Math.min(Math.max(this.step + by, 0), last);
    this.mark();
    const current = [...document.querySelectorAll(".step.current")];
    for (const target of current.length ? current : [byId("case-title")]) target.scrollIntoView({ block: "nearest" });
    byId("spoken").textContent = this.step > lastStep(item, this.choice) ? "The ending" : `Step ${this.step} of ${lastStep(item, this.choice)}`;
  }

  toggleBlind() {
    this.blind = !this.blind;
    this.step = 0;
    this.mark();
  }

  swap() {
    if (!this.choice.b) return;
    this.choice = { ...this.choice, a: this.choice.b, b: this.choice.a };
    this.refresh();
  }

  clear() {
    const { a, b, threshold, order } = this.choice;
    this.choice = { ...emptyChoice(this.content), a, b, threshold, order };
    byId("search").value = "";
    this.refresh();
  }

  listen() {
    byId("blind").addEventListener("click", () => this.toggleBlind());
    byId("clear").addEventListener("click", () => this.clear());
    byId("print").addEventListener("click", () => window.print());
    byId("help").addEventListener("click", () => byId("about").showModal());
    byId("filters").addEventListener("submit", (event) => event.preventDefault());
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => { this.readAddress(); this.refresh(); });
    window.addEventListener("beforeprint", () => unfold(true));
    window.addEventListener("afterprint", () => unfold(false));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("about").open) return;
    const typing = event.target.closest("input, select, textarea");
    if (typing && event.key === "Escape") typing.blur();
    if (typing) return;
    const inList = event.target === byId("list");
    const action = KEYS[event.key] ?? (inList ? LIST_KEYS[event.key] : null);
    if (!action) return;
    event.preventDefault();
    action(this);
  }
}

const KEYS = {
  j: (page) => page.move(1),
  k: (page) => page.move(-1),
  ArrowRight: (page) => page.stepBy(1),
  ArrowLeft: (page) => page.stepBy(-1),
  s: (page) => page.toggleBlind(),
  x: (page) => page.swap(),
  "/": () => byId("search").focus(),
  "?": () => byId("about").showModal(),
};
const LIST_KEYS = {
  ArrowDown: (page) => page.move(1),
  ArrowUp: (page) => page.move(-1),
  PageDown: (page) => page.move(10),
  PageUp: (page) => page.move(-10),
  Home: (page) => page.move(-Infinity),
  End: (page) => page.move(Infinity),
  Enter: () => byId("case-title")?.focus(),
};

// Paper cannot be clicked: what is folded on the screen is printed, except prompts.
function unfold(open) {
  for (const part of document.querySelectorAll("main details:not(.screen)")) {
    if (open) part.dataset.was = String(part.open);
    part.open = open || part.dataset.was === "true";
  }
}

function aboutSample({ sample: { shown, of, seed }, rules }) {
  const names = Object.keys(rules);
  if (names.length) return `test split · ${amount(shown, "case")} of ${of.toLocaleString("en")}, picked by rule: ${names.join("; ")}`;
  if (shown === of) return `test split · all ${amount(of, "case")}`;
  return `test split · ${shown.toLocaleString("en")} of ${of.toLocaleString("en")} cases: a random sample within each task (seed ${seed})`;
}

readContent().then((content) => {
  byId("sample").textContent = aboutSample(content);
  new Page(content);
}).catch((fault) => {
  byId("case").replaceChildren(make("p", { className: "loading", text: `This page cannot be read: ${fault.message}. It needs a browser of 2023 or later.` }));
});
