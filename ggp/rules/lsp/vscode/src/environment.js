// The command that starts the language server, found as people expect it: what they have set, then the folder's own
// environment, then the interpreter that they chose in the Python extension, then the path.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

/**
 * @typedef {object} Command
 * @property {string} command
 * @property {string[]} args
 * @property {string} from where it was found, for messages
 */

/**
 * Returns the command that starts the server.
 * @param {string} setting the setting `ggp.python`, or ""
 * @param {string[]} folders the folders of the workspace
 * @param {string | undefined} chosen the interpreter that the Python extension uses
 * @param {(file: string) => boolean} exists
 * @param {NodeJS.Platform} platform
 * @returns {Command}
 */
function findServer(setting, folders, chosen, exists = fs.existsSync, platform = process.platform) {
  const args = ["-m", "ggp", "lsp"];
  if (setting) {
    const folder = folders[0] ?? "";
    return { command: setting.replace("${workspaceFolder}", folder), args, from: "the setting ggp.python" };
  }
  const inside = platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  for (const folder of folders) {
    for (const name of [".venv", "venv"]) {
      const python = path.join(folder, name, ...inside);
      const ggp = path.join(folder, name, inside[0], platform === "win32" ? "ggp.exe" : "ggp");
      // An environment without ggp does not hide one that has it.
      if (exists(python) && exists(ggp)) return { command: python, args, from: path.join(folder, name) };
    }
  }
  if (chosen) return { command: chosen, args, from: "the Python extension" };
  return { command: "ggp", args: ["lsp"], from: "the path" };
}

module.exports = { findServer };
