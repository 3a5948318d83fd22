// How a match ended, in a sentence, and why: the cells from which it follows.

import { get } from "./api.js";
import { counted } from "./dom.js";

/** Return who won: "You won", "wolf won", "A draw"; an empty text where nobody can say. */
function winner(state, game, wanted) {
  const goals = game.roles.map((one) => [one, state.goals[state.record_roles.indexOf(one)]]);
  if (goals.some(([, goal]) => goal == null)) return "";
  const people = game.roles.filter((one) => (wanted ? one === wanted : state.players[one] === "human"));
  const mine = people.length === 1 ? people[0] : null;
  const most = Math.max(...goals.map(([, goal]) => goal));
  const best = goals.filter(([, goal]) => goal === most).map(([one]) => one);
  if (game.roles.length === 1) return `${mine ? "You" : game.roles[0]} reached ${most} of 100`;
  if (best.length === game.roles.length) return "A draw";
  if (best.includes(mine)) return best.length === 1 ? "You won" : `You won with ${best.filter((one) => one !== mine).join(", ")}`;
  return mine ? `You lost to ${best.join(", ")}` : `${best.join(" and ")} won`;
}

/** Return the end of a match as a sentence; `wanted` is the role of who looks, if that is known. */
export function outcome(state, game, wanted) {
  const goals = game.roles.map((one) => [one, state.goals[state.record_roles.indexOf(one)]]).filter(([, goal]) => goal != null);
  const listed = goals.map(([one, goal]) => `${one} ${goal}`).join(", ");
  switch (state.result) {
    case "finished": {
      const who = winner(state, game, wanted);
      return `${who ? `${who} in ${counted(state.plies, "ply", "plies")}. `.replace("A draw in", "A draw after") : ""}Finished: ${listed}`;
    }
    case "unfinished": return "Ended at the ply limit";
    case "resigned":
      if (state.late.length) return `${state.late.join(", ")} ran out of time: ${listed}`;
      if (state.resigned.length > 1) return `A draw, as agreed: ${listed}`;
      return `${state.resigned.join(", ")} resigned: ${listed}`;
    case "disqualified": return `Ended by disqualification: ${listed}`;
    case "stuck": return `The match is stuck: ${state.rules_error}`;
    default: return "Aborted";
  }
}

/** The reason for the end of a match, asked for once and marked on the board while the last ply is shown. */
export class Reason {
  constructor(board, path, line) {
    this.board = board;
    this.path = path;
    this.line = line;
    this.plies = -1;
    this.found = null;
  }

  async show(state, atEnd) {
    const over = state.result === "finished" && atEnd;
    if (over && this.plies !== state.plies) {
      this.plies = state.plies;
      this.found = null;
      // Without the reason, the result is still there.
      this.found = await get(this.path).catch(() => null);
    }
    this.board.mark(over && this.found ? this.found.cells : []);
    this.line.textContent = (over && this.found?.because) || "";
    this.line.hidden = !this.line.textContent;
  }
}
