// The only ways in which this page makes elements: text is always text, never markup.
function make(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  const { text, className, data, ...attributes } = options;
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(data ?? {})) element.dataset[name] = value;
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}

function draw(tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function badge(verdict) {
  const { sign, long, good } = VERDICTS[verdict];
  const kind = verdict === "unanswered" ? "none" : good ? "right" : "wrong";
  return make("span", { className: `badge ${kind}`, text: `${sign} ${long}` });
}

function folded(summary, className, open, ...children) {
  const element = make("details", { className }, make("summary", { text: summary }), ...children);
  element.open = open;
  return element;
}
