// In place of ../api.js on a page without a server: the same requests, answered by the match that the page itself plays.

export class ApiError extends Error {
  constructor(message, status = 400) {
    super(message);
    this.status = status;
  }
}

/** @type {import("./match.js").LocalMatch | null} */
let match = null;

/** Take the match that answers. */
export function serve(local) {
  match = local;
}

/** Return what a request is about, without the address of the match. */
const question = (path) => path.split("?")[0].replace(/^\/api\/(matches|games)\/[^/]*\/?/, "");

export const get = async (path) => match.get(question(path));

export const post = async (path, body) => match.post(question(path), body);

export const gamePath = (name) => name;
