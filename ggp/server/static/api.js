// Requests to this server.

export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function answer(response) {
  let body = null;
  try {
    body = await response.json();
  } catch {
    throw new ApiError("The server did not answer as expected.", response.status);
  }
  if (!response.ok) throw new ApiError(body.error ?? "The server refused.", response.status);
  return body;
}

async function request(path, options) {
  try {
    return await answer(await fetch(path, options));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError("The server does not answer.", 0);
  }
}

export const get = (path) => request(path);

export const post = (path, body) =>
  request(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export const gamePath = (name) => name.split("/").map(encodeURIComponent).join("/");
