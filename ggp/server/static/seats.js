// Seats: links to the roles of a match, with QR codes. Some can be moved only by who has the link.

import { byId, el } from "./dom.js";

const name = (id) => `seats:${id}`;

/** Keep the secrets of seats in this browser. */
export function keepSeats(id, seats) {
  if (Object.keys(seats ?? {}).length) localStorage.setItem(name(id), JSON.stringify({ ...secrets(id), ...seats }));
}

/** Return what the server knows this browser by; one that shows the seats of several people is several. */
function browser() {
  const known = localStorage.getItem("browser") ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
  localStorage.setItem("browser", known);
  return known + (new URLSearchParams(location.search).get("as") ?? "");
}

function secrets(id) {
  try {
    return JSON.parse(localStorage.getItem(name(id))) ?? {};
  } catch {
    return {};
  }
}

/** Return the name that somebody has given in this browser. */
export const ownName = () => localStorage.getItem("name") ?? "";

/** Return the part of a request that shows whose seat this is; without a role, any seat of this browser. */
export function proofOf(id, role = "") {
  const known = secrets(id);
  const seat = role ? known[role] : Object.values(known)[0];
  return { browser: browser(), name: ownName(), ...(seat ? { seat } : {}) };
}

export class Seats {
  /** Take in the seat that the address names. */
  constructor(id) {
    this.id = id;
    const address = new URLSearchParams(location.search);
    if (address.get("as") && address.get("seat")) keepSeats(id, { [address.get("as")]: address.get("seat") });
    byId("invite").addEventListener("click", () => this.invite());
  }

  proof(role = "") {
    return proofOf(this.id, role);
  }

  /** Return the same as the query of an address. */
  query(role) {
    return `?${new URLSearchParams(this.proof(role))}`;
  }

  /** Return true if this browser may move a role. */
  may(role, state) {
    return !state.reserved?.includes(role) || Boolean(secrets(this.id)[role]);
  }

  show(state) {
    this.state = state;
    this.people = Object.keys(state.players).filter((role) => state.players[role] === "human" && this.may(role, state));
    byId("invite").hidden = state.result !== "running" || Boolean(state.source) || !this.people.length;
  }

  link(role) {
    const address = new URL(`/match/${encodeURIComponent(this.id)}`, location.origin);
    address.searchParams.set("as", role);
    const { seat } = this.proof(role);
    if (seat && this.state.reserved.includes(role)) address.searchParams.set("seat", seat);
    return address.href;
  }

  /** Return what lets others look on. */
  watching() {
    const address = new URL(`/match/${encodeURIComponent(this.id)}?as=nobody`, location.origin).href;
    return el("section", { class: "seat" }, el("h3", {}, "To watch"), el("a", { href: address, class: "seat-link" }, address));
  }

  invite() {
    const seats = this.people.map((role) => {
      const link = this.link(role);
      return el("section", { class: "seat" }, el("h3", {}, role),
        el("img", { src: `/qr.svg?text=${encodeURIComponent(link)}`, alt: `QR code of the link to ${role}`, width: 180, height: 180 }),
        el("a", { href: link, class: "seat-link" }, link),
        el("button", { onclick: ({ target }) => navigator.clipboard?.writeText(link).then(() => { target.textContent = "Copied"; }) }, `Copy the link to ${role}`));
    });
    const far = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname)
      ? "These links lead to this machine. Start the server with --host to invite others on your network." : "Send a link, or let somebody scan it.";
    const close = el("button", { autofocus: true, onclick: () => dialog.close() }, "Close");
    const dialog = el("dialog", { class: "how", "aria-labelledby": "invite-title" },
      el("div", { class: "how-top" }, el("h2", { id: "invite-title" }, "Invite"), close),
      el("div", { class: "how-body" }, el("p", { class: "hint" }, far), el("div", { class: "seats" }, ...seats, this.watching())));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }
}
