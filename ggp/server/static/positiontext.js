// A position as text: the facts, to be copied, changed, and analysed as the start of a game.

import { post } from "./api.js";
import { byId } from "./dom.js";

const MOST = 2000; // facts that the server sends
const LONGEST = 6000; // characters of an address

/** Let the form begin analyses. Returns a function that shows a position in it. */
export function positionText(id) {
  byId("position-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    byId("position-fault").textContent = "";
    try {
      const { id: made } = await post("/api/analyses", { match: id, position: byId("position-text").value || " " });
      location.href = `/analyse/${encodeURIComponent(made)}`;
    } catch (error) {
      byId("position-fault").textContent = error.message;
    }
  });
  return (position, about) => {
    const whole = position.facts.length < MOST;
    const text = whole ? position.facts.map((fact) => `(true ${fact})`).join("\n") : "";
    byId("position-text").value = text;
    byId("position-text").placeholder = whole ? "(true FACT) ..." : "This position has too many facts to be shown.";
    byId("position-fault").textContent = "";
    const of = about.name ? { game: about.name } : { match: about.id };
    const link = `/analyse?${new URLSearchParams({ ...of, position: text.replaceAll("\n", " ") })}`;
    byId("position-link").hidden = !whole || link.length > LONGEST;
    byId("position-link").href = link;
  };
}
