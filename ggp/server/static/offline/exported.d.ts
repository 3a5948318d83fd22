// The types of a module that `ggp export --to wasm` writes.

/** The number of states that are answered at a time. */
export const LANES: 128;

/** A state: one bit for each fact, in words. */
export type Bits = Uint32Array;

export interface About {
  roles: string[];
  /** All facts and moves by their numbers; a move has the number of its role, and its text. */
  facts: string[];
  moves: [number, string][];
  [other: string]: unknown;
}

export interface Looked {
  terminal: boolean;
  /** The numbers of each role's legal moves. */
  legal: number[][];
  /** Each role's goal; -1 for one that has none. */
  goals: number[];
}

export class Rules {
  readonly about: About;
  readonly roles: string[];
  /** Begin a new sequence of random numbers. */
  seed(number: number): void;
  /** The state in which the game begins, and the one in which the facts with these numbers hold. */
  initial(): Bits;
  state(numbers: Iterable<number>): Bits;
  /** The numbers of the facts that hold in a state. */
  facts(state: Bits): number[];
  /** Tell of states whether they are over, the legal moves, and the goals. */
  look(states: Bits[]): Looked[];
  /** The states after joint moves, each with the numbers of all roles' moves. */
  next(states: Bits[], joints: number[][]): Bits[];
  /** Each role's percepts of each of some joint moves. */
  percepts(states: Bits[], joints: number[][]): string[][][];
  /** A random playout of at most about so many plies from each state, none of which is terminal; 512 are made together, or 128 in large games. */
  playouts(states: Bits[], plies: number): { goals: number[]; over: boolean }[];
}

/** Compile the rules. */
export function open(): Promise<Rules>;
