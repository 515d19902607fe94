// Opens a page of a run in a DOM and uses it as a reader does: searches, follows links, goes from survivor to survivor,
// copies a command. The run is the usual one of atropos-report's tests. What needs a layout (scrolling, what is visible) is
// not tested.
import { readFileSync } from "node:fs";
import assert from "node:assert/strict";
import { JSDOM, VirtualConsole } from "jsdom";

const html = readFileSync(process.argv[2], "utf8");
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// The page with its script run, at an address that ends in `hash`.
function open(hash = "") {
  const errors = [];
  const virtualConsole = new VirtualConsole();
  virtualConsole.on("jsdomError", (error) => errors.push(error));
  const copied = [];
  const dom = new JSDOM(html, {
    url: "https://example.org/report.html" + hash,
    runScripts: "dangerously",
    pretendToBeVisual: true,
    virtualConsole,
    beforeParse(window) {
      // Nothing has a place in this DOM.
      window.Element.prototype.scrollIntoView = function () { window.scrolledTo = this; };
      window.IntersectionObserver = class { observe() {} disconnect() {} };
      window.navigator.clipboard = { writeText: async (text) => { copied.push(text); } };
    },
  });
  assert.deepEqual(errors, []);
  const document = dom.window.document;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  const search = async (words) => {
    one("#words").value = words;
    one("#words").dispatchEvent(new dom.window.Event("input", { bubbles: true }));
    await sleep(100);
    return all("#list > li").map((item) => item.textContent);
  };
  const press = (key) => document.body.dispatchEvent(new dom.window.KeyboardEvent("keydown", { key, bubbles: true }));
  return { dom, window: dom.window, document, all, one, search, press, copied, errors };
}

// Searching finds places, functions, changes and tests.
{
  const page = open();
  const mutants = page.all(".m[id]").length;
  assert.ok(mutants >= 12, `${mutants} mutants`);
  assert.equal((await page.search("")).length, mutants);
  const byFunction = await page.search("account::notify");
  assert.ok(byFunction.length > 0 && byFunction.length < mutants, "functions are found");
  const byLine = await page.search("account.rs:3:");
  assert.ok(byLine.length > 0 && byLine.length < mutants, "places are found");
  assert.ok((await page.search("deposit_adds")).length > 0, "tests are found");
  assert.deepEqual(await page.search("nothing-has-this-name"), []);
  assert.match(page.one("#found").textContent, new RegExp(`^0 of ${mutants} `));
  assert.equal(page.window.location.hash, "#filter?q=nothing-has-this-name");
  await page.search("");
  assert.equal(page.window.location.hash, "#mutants");
  // A row leads to its mutant and opens what is around it.
  await page.search("deposit");
  const link = page.one("#list a");
  page.window.location.hash = link.getAttribute("href");
  await sleep(50);
  const target = page.one(link.getAttribute("href"));
  assert.equal(page.window.scrolledTo, target);
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") assert.ok(at.open);
}

// What is filtered stands in the address and is there again when somebody opens it.
{
  const page = open();
  for (const box of page.all("[name=v]")) box.checked = box.value === "survived";
  const found = await page.search("deposit");
  const hash = page.window.location.hash;
  assert.match(hash, /^#filter\?/);
  const again = open(hash);
  assert.equal(again.one("#words").value, "deposit");
  assert.deepEqual(again.all("#list > li").map((item) => item.textContent), found);
  assert.ok(found.length > 0);
  assert.ok(again.all("[name=v]").filter((box) => box.checked).every((box) => box.value === "survived"));
  // A tile shows one verdict.
  const tile = again.all(".tile").find((tile) => tile.dataset.v === "killed");
  tile.click();
  await sleep(50);
  const boxes = again.all("[name=v]").filter((box) => box.checked).map((box) => box.value);
  assert.deepEqual(boxes, ["killed"]);
}

// Keys: the next survivor, the one before, the search.
{
  const page = open();
  const survivors = page.all("#survivors details.m");
  assert.ok(survivors.length > 1);
  for (const [key, expected] of [["n", 0], ["j", 1], ["p", 0], ["k", 0]]) {
    page.press(key);
    assert.equal(page.window.scrolledTo, survivors[expected], `after ${key}`);
    assert.equal(page.document.activeElement, survivors[expected].firstElementChild);
    assert.ok(survivors[expected].open);
  }
  page.press("/");
  assert.equal(page.document.activeElement, page.one("#words"));
}

// A file's link leads to its top; opened, the file has colours and its text is what it was.
{
  const page = open();
  const file = page.one(".file");
  const link = page.all("a[href^='#']").find((link) => link.getAttribute("href") === "#" + file.id);
  assert.ok(link, "a link to the file");
  const text = () => {
    const copy = file.cloneNode(true);
    // They come when something is opened.
    for (const button of copy.querySelectorAll("button")) button.remove();
    return copy.textContent;
  };
  const before = text();
  page.window.location.hash = "#" + file.id;
  await sleep(50);
  assert.ok(file.open);
  assert.equal(page.window.scrolledTo, file);
  await sleep(50);
  assert.ok(file.querySelector(".source .k"), "keywords have a colour");
  assert.equal(text(), before);
}

// Commands can be copied.
{
  const page = open();
  for (const one of page.all("#survivors details.m")) one.open = true;
  await sleep(50);
  const button = page.one("button.copier");
  assert.ok(button, "a button");
  button.click();
  await sleep(50);
  assert.deepEqual(page.copied, [button.previousElementSibling.textContent]);
  assert.match(page.copied[0], /^cargo atropos (accept|replay) /);
  assert.equal(button.textContent, "copied");
}

// Tables are sorted by a column.
{
  const page = open();
  const table = page.one("table.sortable");
  const column = [...table.tHead.rows[0].cells].findIndex((cell) => cell.querySelector("button"));
  const values = () => [...table.tBodies[0].rows].map((row) => row.cells[column].textContent.trim());
  const button = table.tHead.rows[0].cells[column].querySelector("button");
  button.click();
  const first = values();
  button.click();
  assert.deepEqual(values(), first.reverse());
}
console.log("page: all is well");
