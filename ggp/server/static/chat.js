// What people who play together say to each other, and their names.

import { post } from "./api.js";
import { byId, el } from "./dom.js";
import { ownName } from "./seats.js";

export class Chat {
  /**
   * @param {string} base the address of the match
   * @param {import("./seats.js").Seats} seats
   * @param {(error: any) => void} failed
   */
  constructor(base, seats, failed) {
    this.shown = -1;
    byId("name").value = ownName();
    byId("name").addEventListener("change", () => {
      localStorage.setItem("name", byId("name").value.trim());
      post(`${base}/call`, seats.proof()).catch(failed);
    });
    byId("talk").addEventListener("submit", async (event) => {
      event.preventDefault();
      const text = byId("remark").value.trim();
      if (!text) return;
      try {
        await post(`${base}/say`, { text, ...seats.proof() });
        if (byId("remark").value.trim() === text) byId("remark").value = "";
        failed(null);
      } catch (error) {
        failed(error);
      }
    });
  }

  /**
   * Show what was said, if people can talk in a match.
   * @param {import("./types").State} state
   * @param {boolean} plays true if somebody plays here
   */
  show(state, plays) {
    byId("chat-card").hidden = !state.chat || (!plays && !state.chat.length);
    byId("talk").hidden = byId("name").hidden = !plays;
    if (!state.chat || state.chat.length === this.shown) return;
    this.shown = state.chat.length;
    const list = byId("remarks");
    list.replaceChildren(...state.chat.map(({ who, text, at }) =>
      el("li", { title: new Date(1000 * at).toLocaleTimeString() }, el("strong", {}, who), ` ${text}`)));
    list.scrollTop = list.scrollHeight;
  }
}
