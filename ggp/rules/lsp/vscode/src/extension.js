// Connects VS Code to the language server `ggp lsp`, and shows the board beside the rules.
"use strict";

const { randomBytes } = require("node:crypto");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { findServer } = require("./environment");
const { jointMove, page } = require("./board");

/** Milliseconds without changes before the board follows the text. */
const PAUSE = 300;

/** @type {LanguageClient | undefined} */
let client;
/** @type {Map<string, Board>} */
const boards = new Map();

/** Returns the interpreter that the Python extension uses, if it is installed. */
async function chosenPython() {
  const python = vscode.extensions.getExtension("ms-python.python");
  if (!python) return undefined;
  const api = await python.activate();
  const found = api?.environments?.getActiveEnvironmentPath?.();
  const environment = found && (await api.environments.resolveEnvironment(found));
  return environment?.executable?.uri?.fsPath;
}

async function start() {
  const setting = vscode.workspace.getConfiguration("ggp").get("python", "");
  const folders = (vscode.workspace.workspaceFolders ?? []).map((one) => one.uri.fsPath);
  const server = findServer(setting, folders, await chosenPython());
  client = new LanguageClient(
    "ggp",
    "GGP",
    { command: server.command, args: server.args },
    { documentSelector: [{ language: "gdl" }] },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const told = `The language server of ggp did not start (${server.command}, from ${server.from}): ${error}. `
      + "Install it with: pip install 'ggp[lsp]'";
    const button = "Open Settings";
    // Without waiting for an answer: highlighting works meanwhile.
    void vscode.window.showErrorMessage(told, button).then((pressed) => {
      if (pressed) void vscode.commands.executeCommand("workbench.action.openSettings", "ggp.python");
    });
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** The board of one rule file, in a panel beside it. */
class Board {
  /** @param {vscode.TextDocument} document */
  constructor(document) {
    this.uri = document.uri;
    this.title = `Board: ${document.uri.path.split("/").pop()}`;
    /** @type {string[][]} */
    this.moves = [];
    /** @type {Record<string, string>} */
    this.chosen = {};
    /** @type {import("./board").Shown | undefined} */
    this.shown = undefined;
    this.asked = 0;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
    this.panel = vscode.window.createWebviewPanel(
      "ggp.board",
      this.title,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true },
    );
    this.panel.webview.onDidReceiveMessage((message) => this.hear(message));
    this.panel.onDidDispose(() => {
      clearTimeout(this.timer);
      boards.delete(this.uri.toString());
    });
  }

  /** Follows a change of the text, once it pauses. */
  changed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.update(), PAUSE);
  }

  /** @param {{kind: string, role?: string, move?: string}} message */
  hear({ kind, role, move }) {
    if (kind === "back") this.moves.pop();
    else if (kind === "start") this.moves = [];
    else if (role !== undefined && move !== undefined && this.shown) {
      this.chosen[role] = move;
      const joint = jointMove(this.shown.roles, this.chosen);
      if (!joint) return this.draw();
      this.moves.push(joint);
    }
    this.chosen = {};
    void this.update();
  }

  async update() {
    const number = ++this.asked;
    try {
      if (!client) throw new Error("The language server is not running.");
      const shown = await client.sendRequest("ggp/position", { uri: this.uri.toString(), moves: this.moves });
      if (number !== this.asked) return; // a later question is under way
      this.shown = /** @type {import("./board").Shown} */ (shown);
      if (!this.shown.error) this.moves.length = this.shown.ply;
    } catch (error) {
      this.shown = /** @type {import("./board").Shown} */ ({ error: error instanceof Error ? error.message : String(error) });
    }
    this.draw();
  }

  draw() {
    if (!this.shown) return;
    const nonce = randomBytes(16).toString("base64");
    this.panel.webview.html = page(this.shown, { nonce, title: this.title, chosen: this.chosen });
  }
}

function showBoard() {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== "gdl") return;
  const key = document.uri.toString();
  let board = boards.get(key);
  if (board) board.panel.reveal(undefined, true);
  else boards.set(key, (board = new Board(document)));
  void board.update();
}

/** @param {vscode.ExtensionContext} context */
async function activate(context) {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("ggp.showBoard", showBoard),
    vscode.commands.registerCommand("ggp.restart", restart),
    vscode.workspace.onDidChangeTextDocument(({ document }) => boards.get(document.uri.toString())?.changed()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("ggp")) void restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void restart()),
  );
  // The server is a program of the folder: it is not started in one that is not trusted.
  if (vscode.workspace.isTrusted) await start();
}

module.exports = { activate, deactivate: stop };
