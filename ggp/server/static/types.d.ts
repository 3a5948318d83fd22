// What the server tells pages: as in ggp/server/messages.py, which a test compares with this. Read by `npm run check`.

export interface Part {
  cells: string[];
  word?: string;
  slot?: string;
  lane?: string[];
}

export interface Choice {
  move: string;
  label: string;
  parts: Part[];
}

export interface Word {
  text: string;
  look?: any;
  angle?: number;
}

export interface Game {
  title: string;
  roles: string[];
  hidden: boolean;
  width: number;
  height: number;
  stacked: boolean;
  ground: any[];
  middles: Record<string, [number, number]>;
  labels: Record<string, string>;
  colours: Record<string, string>;
  above: string[];
  values?: boolean;
  explains?: boolean; // false at a host
}

export interface Pieces {
  under: any[];
  pieces: any[];
  over: any[];
  names: Record<string, string>;
}

export interface Choices {
  terminal: boolean;
  choices: Record<string, Choice[]>;
  words: Record<string, Word>;
  more: Record<string, number>;
  fault?: string;
}

export interface Position extends Pieces, Choices {
  ply: number;
  moves: string[];
  said: string[];
  errors: string[];
  steps: string[][];
  notes: [string, string[]][];
  facts: string[];
  counts: number[];
  told: { move: string; saw: string[] }[];
  goals: Record<string, number | null>;
  likely?: boolean; // with what is likely in place of what is known
}

export interface After extends Pieces {
  ply: number;
  certain: boolean;
}

export interface Offer {
  what: "back" | "draw" | "end" | "rematch";
  ply: number | null;
  by: string[];
  declined: boolean;
}

export interface Standing {
  plies: number;
  result: string;
  goals: (number | null)[];
  resigned: string[];
  late: string[];
  rules_error: string;
  last: string[];
  counts: number[];
  undo: Record<string, number>;
  record_roles: string[];
}

export interface Clock {
  left: number;
  due: number | null;
}

export interface Remark {
  who: string;
  text: string;
  at: number;
}

export interface State extends Standing {
  id: string;
  version: number;
  game: string;
  title: string;
  players: Record<string, string>;
  settings: any;
  source: string;
  reserved: string[];
  taken: string[];
  offer: Offer | null;
  rematch: string;
  names: Record<string, string>;
  chat: Remark[] | null;
  clocks: Record<string, Clock>;
  error: string;
  running: boolean;
  doing: string;
  slow: string;
  thoughts: number;
  contested: boolean;
  waiting: string[];
  until: number | null;
  view: string;
  role: string;
}

declare global {
  // A selector says which kind of element is meant.
  interface ParentNode {
    querySelector(selectors: string): any;
    querySelectorAll(selectors: string): NodeListOf<any>;
  }
  interface Window {
    showOpenFilePicker: any;
    showSaveFilePicker: any;
  }
}
