// The event stream of a match, which is opened again whenever it is lost.

const AGAIN = 3000; // milliseconds before a stream that was refused is opened again

/**
 * @param {string} path
 * @param {{news: (state: import("./types").State) => void, lost: () => void, back: () => void, over: () => boolean}} page
 *   `over()` tells that no more news is to come.
 */
export function listen(path, { news, lost, back, over }) {
  const stream = new EventSource(path);
  let waits = false;
  stream.onmessage = ({ data }) => news(JSON.parse(data));
  stream.onerror = () => {
    if (over()) return stream.close();
    waits = true;
    lost();
    // A refused stream is not reopened automatically, unlike a lost connection.
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => listen(path, { news, lost, back, over }), AGAIN);
  };
  stream.onopen = () => {
    if (waits) back();
    waits = false;
  };
}
