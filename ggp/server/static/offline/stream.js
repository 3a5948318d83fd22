// In place of ../stream.js on a page without a server: news of the match that the page itself plays.

/** @type {((state: any) => void)[]} */
const listeners = [];

export function listen(_path, { news }) {
  listeners.push(news);
}

/** Tell the page how the match stands. */
export function tell(state) {
  for (const news of listeners) news(state);
}
