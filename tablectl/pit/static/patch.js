/**
 * Descriptions of elements, and the patching of the page until it matches them.
 *
 * Only what differs from the last description is touched. Text from a table becomes a text node, never markup.
 */

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "path", "circle"]);
const described = new WeakMap();

/**
 * Describe an element.
 * attributes: `key` tells siblings apart, `vars` are custom properties of its style, functions are event handlers.
 * children: descriptions, text, or lists of them; null, false and "" are left out.
 */
export function h(tag, attributes, ...children) {
  return { tag, attributes: attributes ?? {}, children };
}

/** Make the children of an element match these descriptions, keeping every node that can be kept. */
export function patch(parent, children) {
  const spare = pool(parent.childNodes);
  children.flat(Infinity).filter(isShown).forEach((child, index) => {
    const node = spare.get(identity(child))?.shift() ?? create(child);
    update(node, child);
    if (parent.childNodes[index] !== node) parent.insertBefore(node, parent.childNodes[index] ?? null);
  });
  for (const nodes of spare.values()) for (const node of nodes) node.remove();
}

function isShown(child) {
  return child !== null && child !== undefined && child !== false && child !== "";
}

function pool(nodes) {
  const spare = new Map();
  for (const node of nodes) {
    const name = identity(described.get(node) ?? "");
    if (!spare.has(name)) spare.set(name, []);
    spare.get(name).push(node);
  }
  return spare;
}

/** Say which nodes may stand for one another: the same key, or else the same kind. */
function identity(child) {
  if (typeof child !== "object") return "text";
  const { tag, attributes } = child;
  return `${tag} ${attributes.key ?? (attributes.class ?? "").split(" ")[0]}`;
}

function create(child) {
  if (typeof child !== "object") return document.createTextNode("");
  return SVG_TAGS.has(child.tag) ? document.createElementNS(SVG, child.tag) : document.createElement(child.tag);
}

function update(node, child) {
  if (typeof child !== "object") {
    if (node.data !== String(child)) node.data = child;
    return;
  }
  const before = described.get(node);
  if (before === child) return;
  described.set(node, child);
  updateAttributes(node, before?.attributes ?? {}, child.attributes);
  patch(node, child.children);
}

function updateAttributes(node, before, after) {
  for (const name of Object.keys(before)) if (!isShown(after[name])) setAttribute(node, name, null);
  for (const [name, value] of Object.entries(after)) if (value !== before[name]) setAttribute(node, name, value);
}

function setAttribute(node, name, value) {
  if (name === "key") return;
  if (name === "vars") {
    for (const [property, setting] of Object.entries(value ?? {})) node.style.setProperty(property, setting);
  } else if (name.startsWith("on")) {
    node[name] = value;
  } else if (isShown(value)) {
    node.setAttribute(name, value === true ? "" : value);
  } else {
    node.removeAttribute(name);
  }
}
