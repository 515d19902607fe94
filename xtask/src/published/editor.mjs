// Starts rust-analyzer on a package as an editor does, with the command of the book's page on editors, and compares what it
// publishes with the survivors in outcomes.json. Arguments: rust-analyzer, the package, the directory of `cargo atropos`.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [program, root, directory] = process.argv.slice(2);
const PATIENCE = 180_000;
const command = "cargo check --offline --workspace --all-targets --message-format=json; cargo atropos report --format cargo";
const settings = {
  check: { overrideCommand: ["sh", "-c", command] },
  checkOnSave: true,
  cachePriming: { enable: false },
};
const outcomes = JSON.parse(readFileSync(join(root, "target/atropos/outcomes.json"), "utf8"));
const survivors = outcomes.mutants.filter((mutant) => mutant.verdict === "survived");
const expected = survivors.map((mutant) => `${mutant.file}:${mutant.line}`).sort();
assert.ok(expected.length > 0, "nothing survived");

const server = spawn(program, [], {
  cwd: root,
  stdio: ["pipe", "pipe", "ignore"],
  env: { ...process.env, PATH: directory + ":" + process.env.PATH },
});
function send(message) {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

const published = new Map();
function shown() {
  const all = [...published].flatMap(([uri, diagnostics]) =>
    diagnostics.filter((one) => one.source === "atropos" && one.code === "survived").map((one) => {
      const file = uri.slice(pathToFileURL(root).href.length + 1);
      return `${file}:${one.range.start.line + 1}`;
    }));
  return all.sort();
}

const saved = pathToFileURL(join(root, "src/lib.rs")).href;
function receive(message) {
  if (message.method === "workspace/configuration") {
    send({ id: message.id, result: message.params.items.map(() => settings) });
  } else if (message.method && message.id !== undefined) {
    send({ id: message.id, result: null });
  } else if (message.id === 1) {
    send({ method: "initialized", params: {} });
    const text = readFileSync(new URL(saved), "utf8");
    send({ method: "textDocument/didOpen", params: { textDocument: { uri: saved, languageId: "rust", version: 1, text } } });
    // It checks once the workspace is loaded; an editor's user would save again.
    setInterval(() => send({ method: "textDocument/didSave", params: { textDocument: { uri: saved } } }), 15_000);
  } else if (message.method === "textDocument/publishDiagnostics") {
    published.set(message.params.uri, message.params.diagnostics);
    if (shown().length >= expected.length) finish();
  }
}
function finish() {
  server.kill();
  assert.deepEqual(shown(), expected);
  console.log(`editor: rust-analyzer shows all ${expected.length} survivors at their places`);
  process.exit(0);
}
setTimeout(finish, PATIENCE);

let pending = Buffer.alloc(0);
server.stdout.on("data", (data) => {
  pending = Buffer.concat([pending, data]);
  for (;;) {
    const end = pending.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/Content-Length: (\d+)/i.exec(pending.subarray(0, end).toString())[1]);
    if (pending.length < end + 4 + length) return;
    receive(JSON.parse(pending.subarray(end + 4, end + 4 + length).toString()));
    pending = pending.subarray(end + 4 + length);
  }
});
const folder = pathToFileURL(root).href;
send({
  id: 1,
  method: "initialize",
  params: {
    processId: process.pid,
    rootUri: folder,
    workspaceFolders: [{ uri: folder, name: "package" }],
    capabilities: { workspace: { configuration: true }, window: { workDoneProgress: true } },
    initializationOptions: settings,
  },
});
