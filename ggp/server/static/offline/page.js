// The beginning of a page without a server: unpack the game, start the worker, and let the page of a match do the rest.

import { byId } from "../dom.js";
import { serve } from "./api.js";
import { Rules } from "./engine.js";
import { LocalMatch } from "./match.js";
import { addCurtain, addSetup } from "./setup.js";

/** Return what is in an element: JSON or bytes that were compressed, as text in base 64. */
async function unpacked(id) {
  const bytes = Uint8Array.from(atob(byId(id).textContent.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Start the worker, from the script of this page, and return a function that asks it for moves. */
function asking(about, code, known) {
  const program = new Blob([byId("program").textContent], { type: "text/javascript" });
  const worker = new Worker(URL.createObjectURL(program));
  worker.postMessage({ kind: "open", about, code, known });
  let last = 0;
  /** @type {Map<number, {done: (found: any) => void, failed: (error: Error) => void}>} */
  const waiting = new Map();
  worker.onmessage = ({ data }) => {
    const asked = waiting.get(data.id);
    waiting.clear();
    if (data.error) asked?.failed(new Error(data.error));
    else asked?.done(data);
  };
  worker.onerror = ({ message }) => {
    for (const { failed } of waiting.values()) failed(new Error(message || "The program has stopped."));
  };
  return (question) => new Promise((done, failed) => {
    waiting.clear();
    waiting.set(++last, { done, failed });
    worker.postMessage({ kind: "think", id: last, ...question });
  });
}

export async function begin() {
  byId("incomplete").remove();
  let pack;
  let code;
  try {
    pack = JSON.parse(new TextDecoder().decode(await unpacked("pack")));
    code = new Uint8Array(await unpacked("code"));
  } catch {
    throw new Error("This file is damaged: it has to be copied whole, or exported again.");
  }
  const rules = await Rules.open({ about: pack.about, code });
  const match = new LocalMatch(pack, rules, asking(pack.about, code, pack.known));
  serve(match);
  addSetup(match);
  addCurtain(match);
  await import("../match.js");
}
