// Opens a large page in a browser, searches, goes to survivors and to the end, and says how long each takes. Fails if anything
// takes a reader's patience.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [executablePath, file] = process.argv.slice(2);
const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage();
await page.setViewport({ width: 1280, height: 900 });
const errors = [];
page.on("pageerror", (error) => errors.push(error.message));

const start = Date.now();
await page.goto(pathToFileURL(file).href, { timeout: 60_000 });
const loaded = Date.now() - start;
const painted = await page.evaluate(() => Math.round(performance.getEntriesByName("first-contentful-paint")[0].startTime));
const mutants = await page.evaluate(() => document.querySelectorAll(".m[id]").length);

// Does something in the page and waits until the browser has drawn it; the time that took, in milliseconds.
const timed = (act, argument) => page.evaluate(async (act, argument) => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const start = performance.now();
  await new Function("argument", `return (async () => { ${act} })()`)(argument);
  await frame();
  await frame();
  return Math.round(performance.now() - start);
}, act, argument);
const search = (words) => timed(`
  const words = document.querySelector("#words");
  const found = document.querySelector("#found");
  const changed = new Promise((done) => new MutationObserver(done).observe(found, { childList: true, characterData: true, subtree: true }));
  words.value = argument;
  words.dispatchEvent(new Event("input", { bubbles: true }));
  await Promise.race([changed, new Promise((done) => setTimeout(done, 2000))]);
`, words);
const searches = [];
for (const words of ["s", "deposit", "account_77", "nothing-has-this-name", ""]) searches.push(await search(words));
const press = (key) => timed("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: argument, bubbles: true }))", key);
const next = [await press("n"), await press("n"), await press("p")];
const jump = await timed("location.hash = [...document.querySelectorAll('.m[id]')].at(-1).id");
await browser.close();

assert.deepEqual(errors, []);
assert.ok(mutants >= 15_000, `${mutants} mutants`);
console.log(`page: ${mutants} mutants: painted after ${painted} ms, loaded after ${loaded} ms; a search takes ${Math.max(...searches)} ms at most, the next survivor ${Math.max(...next)} ms, the last mutant ${jump} ms`);
assert.ok(painted < 5_000 && loaded < 30_000 && Math.max(...searches, ...next, jump) < 5_000, "the page is slow");
