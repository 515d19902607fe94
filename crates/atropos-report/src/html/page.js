// Filters, sorting and links into what is folded away. The page can be read without it.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("script");
  const by = (id) => document.getElementById(id);

  // A link leads to a mutant or a line, whatever is closed around it.
  function reveal() {
    const id = decodeURIComponent(location.hash.slice(1));
    if (id.startsWith("filter?")) { restore(location.hash.slice(8)); return; }
    const target = id && by(id);
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    const here = target.querySelector(":scope > .here");
    if (here) here.open = true;
    target.scrollIntoView({ block: target.matches("section, .file") ? "start" : "center" });
    const summary = target.querySelector("summary");
    if (summary && !target.matches("section")) summary.focus({ preventScroll: true });
  }
  addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) reveal();
  });

  // A reference to a mutant shows what stands there.
  document.addEventListener("toggle", (event) => {
    const from = event.target;
    if (!from.open || !from.dataset || !from.dataset.ref || from.dataset.filled) return;
    const body = by(from.dataset.ref)?.querySelector(":scope > .body");
    if (!body) return;
    from.dataset.filled = "yes";
    from.append(body.cloneNode(true));
  }, true);

  document.addEventListener("click", (event) => {
    const { open, close } = event.target.dataset || {};
    const section = by(open || close || "");
    if (section) for (const one of section.querySelectorAll("details")) one.open = Boolean(open);
  });

  // Tables are sorted by a column; numbers the largest first.
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const key = (row) => {
          const cell = row.cells[column];
          const text = cell.dataset.key ?? cell.textContent.trim();
          return text !== "" && !isNaN(text) ? Number(text) : text;
        };
        const rows = [...table.tBodies[0].rows].map((row) => [key(row), row]);
        const numbers = rows.every(([value]) => typeof value === "number");
        const before = head.getAttribute("aria-sort");
        const up = before ? before === "descending" : !numbers;
        rows.sort(([a], [b]) => (numbers ? a - b : String(a).localeCompare(String(b))) * (up ? 1 : -1));
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        table.tBodies[0].append(...rows.map(([, row]) => row));
      });
    });
  }

  // The list of all mutants, read from the page when somebody first comes near it.
  const form = by("filter"), words = by("words"), operator = by("operator"), list = by("list"), more = by("more");
  const PART = 100;
  let all = null, found = [], shown = 0;

  function index() {
    const files = new Map();
    all = [];
    for (const element of document.querySelectorAll(".m[id]")) {
      const summary = element.firstElementChild;
      const line = element.closest("li[id]");
      const file = element.closest(".file");
      let place = summary.querySelector(".place")?.textContent;
      if (!place && file) {
        if (!files.has(file)) files.set(file, file.querySelector("summary code").textContent);
        place = files.get(file) + (line ? ":" + line.id.split("l")[1] : "");
      }
      all.push({ element, place: place || "", v: element.dataset.v, o: element.dataset.o, f: element.dataset.f || "", text: null });
    }
    const order = (place) => place.split(":").map((part) => (isNaN(part) ? part : part.padStart(7, "0"))).join(":");
    const keys = new Map(all.map((one) => [one, order(one.place)]));
    all.sort((a, b) => (keys.get(a) < keys.get(b) ? -1 : keys.get(a) > keys.get(b) ? 1 : 0));
  }

  function text(one) {
    return (one.text ??= (one.place + " " + one.f + " " + one.element.textContent).toLowerCase());
  }

  function row(one) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const summary = one.element.firstElementChild;
    link.href = "#" + one.element.id;
    const place = document.createElement("code");
    place.textContent = one.place;
    link.append(place, " ");
    for (const part of summary.childNodes) {
      const skip = part.nodeType === 1 && part.matches(".rank, .why, .place");
      if (!skip) link.append(part.cloneNode(true));
    }
    item.append(link);
    const test = one.v === "killed" && one.element.querySelector("dd > code");
    if (test) {
      const by = document.createElement("small");
      by.textContent = " by " + test.textContent;
      item.append(by);
    }
    return item;
  }

  function show() {
    const part = found.slice(shown, shown + PART);
    list.append(...part.map(row));
    shown += part.length;
    more.hidden = shown >= found.length;
  }

  function filter() {
    if (!all) index();
    const verdicts = new Set(new FormData(form).getAll("v"));
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = all.filter((one) => verdicts.has(one.v) && (!operator.value || one.o === operator.value)
      && wanted.every((word) => text(one).includes(word)));
    shown = 0;
    list.replaceChildren();
    by("found").textContent = found.length + " of " + all.length + (all.length === 1 ? " mutant" : " mutants");
    show();
  }

  // What is filtered stands in the address, so that it can be passed on.
  const address = (key) => new URLSearchParams(key);
  function remember() {
    const chosen = address("");
    if (words.value) chosen.set("q", words.value);
    if (operator.value) chosen.set("o", operator.value);
    const boxes = [...form.querySelectorAll("[name=v]")];
    const checked = boxes.filter((box) => box.checked);
    if (checked.length < boxes.length) chosen.set("v", checked.map((box) => box.value).join(","));
    const hash = chosen.toString() ? "#filter?" + chosen : "#mutants";
    if (location.hash !== hash) history.replaceState(null, "", hash);
  }
  function restore(text) {
    const chosen = address(text);
    words.value = chosen.get("q") || "";
    operator.value = chosen.get("o") || "";
    const verdicts = chosen.has("v") ? chosen.get("v").split(",") : null;
    for (const box of form.querySelectorAll("[name=v]")) box.checked = !verdicts || verdicts.includes(box.value);
    filter();
    by("mutants").scrollIntoView({ block: "start" });
  }

  // Keywords, texts, numbers and comments of a file get their colours when it is opened.
  const TOKENS = /(\/\/.*$)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)')|\b(as|async|await|break|const|continue|crate|dyn|else|enum|extern|false|fn|for|if|impl|in|let|loop|match|mod|move|mut|pub|ref|return|self|Self|static|struct|super|trait|true|type|union|unsafe|use|where|while|yield)\b|\b(\d[\w.]*)/g;
  function colour(node) {
    const text = node.nodeValue;
    const parts = [];
    let end = 0;
    for (const found of text.matchAll(TOKENS)) {
      const span = document.createElement("span");
      span.className = found[1] ? "c" : found[2] ? "s" : found[3] ? "k" : "n";
      span.textContent = found[0];
      parts.push(text.slice(end, found.index), span);
      end = found.index + found[0].length;
    }
    if (parts.length) node.replaceWith(...parts, text.slice(end));
  }
  document.addEventListener("toggle", (event) => {
    const file = event.target;
    if (!file.open || !file.matches(".file") || file.dataset.coloured) return;
    file.dataset.coloured = "yes";
    for (const line of file.querySelectorAll(".source > li")) {
      for (const part of [...line.childNodes]) {
        if (part.nodeType === 3) colour(part);
        else if (part.matches("mark")) for (const inner of [...part.childNodes]) if (inner.nodeType === 3) colour(inner);
      }
    }
  }, true);

  // Commands can be copied.
  document.addEventListener("toggle", (event) => {
    for (const code of event.target.querySelectorAll("code.copy:not([data-button])")) {
      code.dataset.button = "yes";
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copier";
      button.textContent = "copy";
      button.addEventListener("click", () => {
        navigator.clipboard?.writeText(code.textContent).then(() => { button.textContent = "copied"; });
      });
      code.after(button);
    }
  }, true);

  // The next survivor (n, j) and the one before (p, k).
  let current = -1;
  function step(by) {
    const survivors = [...document.querySelectorAll("#survivors details.m")];
    if (!survivors.length) return;
    current = Math.min(Math.max(current + by, 0), survivors.length - 1);
    const one = survivors[current];
    for (let at = one; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    one.firstElementChild.focus({ preventScroll: true });
    one.scrollIntoView({ block: "start" });
  }

  // What an operator's code stands for, when the pointer asks.
  document.addEventListener("mouseover", (event) => {
    const code = event.target;
    if (code.tagName !== "ABBR" || code.title) return;
    const option = [...operator.options].find((one) => one.value === code.textContent);
    if (option) code.title = option.textContent.replace(/^.*?: /, "");
  });

  let pending = 0;
  form.addEventListener("input", () => { clearTimeout(pending); pending = setTimeout(() => { filter(); remember(); }, 60); });
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", show);
  new IntersectionObserver((seen, observer) => {
    if (seen.some((one) => one.isIntersecting)) { observer.disconnect(); if (!all) filter(); }
  }, { rootMargin: "600px" }).observe(by("mutants"));
  for (const tile of document.querySelectorAll(".tile")) {
    tile.addEventListener("click", () => {
      for (const box of form.querySelectorAll("[name=v]")) box.checked = box.value === tile.dataset.v;
      filter();
      // After the link has been followed.
      setTimeout(remember);
    });
  }
  addEventListener("keydown", (event) => {
    if (event.target.closest?.("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") { event.preventDefault(); words.focus(); }
    if (event.key === "n" || event.key === "j") step(1);
    if (event.key === "p" || event.key === "k") step(-1);
  });
  reveal();
})();
