/**
 * A suffix automaton: a graph in which the paths from the first state are exactly the substrings of a text. It takes time and
 * space that grow with the text, whatever the text is, and a word is found or not in the time that it takes to read it.
 *
 * Substrings that end at the same places of the text share a state. The link of a state leads to that of its longest suffix
 * that ends at more places.
 */

/** No character: a gap is in no word. */
const gap = 0x1_0000;
const none = -1;

/** An automaton of a text, and the longest of the words read that ends at each of its characters. */
export class SuffixAutomaton {
  readonly #links: Int32Array;
  /** The length of a state's longest substring. */
  readonly #lengths: Int32Array;
  /** The first edge of a state; edges are numbered from 1. */
  readonly #edgesOf: Int32Array;
  /** The length of the longest word that was read to a state. */
  readonly #words: Int32Array;
  readonly #isTail: Uint8Array;
  readonly #sources: Int32Array;
  readonly #codes: Int32Array;
  readonly #targets: Int32Array;
  readonly #nextEdges: Int32Array;
  /** The edges by their source and code: a hash table with linear probing, never more than half full. */
  readonly #table: Int32Array;
  /** The state of the text up to each character. */
  readonly #states: Int32Array;
  #size = 0;
  #stateCount = 1;
  #edgeCount = 0;
  #last = 0;

  /** For a text of at most `most` characters and gaps. */
  constructor(most: number) {
    const states = 2 * most + 1;
    const edges = 3 * most + 2;
    this.#links = new Int32Array(states).fill(none, 0, 1);
    this.#lengths = new Int32Array(states);
    this.#edgesOf = new Int32Array(states);
    this.#words = new Int32Array(states);
    this.#isTail = new Uint8Array(states);
    this.#sources = new Int32Array(edges);
    this.#codes = new Int32Array(edges);
    this.#targets = new Int32Array(edges);
    this.#nextEdges = new Int32Array(edges);
    this.#table = new Int32Array(2 ** Math.ceil(Math.log2(2 * edges)));
    this.#states = new Int32Array(most);
  }

  /** Adds a place that is in no word. */
  addGap(): void {
    this.add(gap);
  }

  /** Adds a character by its code. */
  add(code: number): void {
    const state = this.#newState(this.#lengthOf(this.#last) + 1);
    let from = this.#last;
    while (from !== none && this.#edge(from, code) === 0) {
      this.#connect(from, code, state);
      from = this.#linkOf(from);
    }
    this.#links[state] = from === none ? 0 : this.#suffixAt(from, code);
    this.#last = state;
    this.#states[this.#size] = state;
    this.#size += 1;
  }

  /** Says that the text ends here, for `read`. */
  end(): void {
    for (let state = this.#last; state > 0; state = this.#linkOf(state)) this.#isTail[state] = 1;
  }

  /** Reads a word as far as it is in the text. Returns how much of it the text ends with; 0 without a call of `end`. */
  read(word: string): number {
    let state = 0;
    let tail = 0;
    for (let at = 0; at < word.length; at += 1) {
      state = this.#step(state, word.charCodeAt(at));
      if (state === 0) return tail;
      if (this.#isTail[state] === 1) tail = at + 1;
    }
    this.#words[state] = Math.max(this.#words[state] ?? 0, word.length);
    return tail;
  }

  /** The length of the longest word read that ends at each character and gap of the text; 0 where none does. */
  wordLengths(): Int32Array {
    // A word that ends at a state's places may be shorter than that state's substrings: then it is at one of its links.
    for (const state of this.#byLength()) {
      const shorter = this.#words[this.#linkOf(state)] ?? 0;
      if ((this.#words[state] ?? 0) < shorter) this.#words[state] = shorter;
    }
    return this.#states.subarray(0, this.#size).map((state) => this.#words[state] ?? 0);
  }

  /** The state of the longest suffix that was in the text before; where others share its state, it gets its own. */
  #suffixAt(from: number, code: number): number {
    const shared = this.#step(from, code);
    const length = this.#lengthOf(from) + 1;
    if (this.#lengthOf(shared) === length) return shared;
    const own = this.#newState(length);
    for (let edge = this.#edgesOf[shared] ?? 0; edge !== 0; edge = this.#nextEdges[edge] ?? 0) {
      this.#connect(own, this.#codes[edge] ?? 0, this.#targets[edge] ?? 0);
    }
    this.#links[own] = this.#linkOf(shared);
    this.#links[shared] = own;
    for (let state = from; state !== none; state = this.#linkOf(state)) {
      const edge = this.#edge(state, code);
      if (this.#targets[edge] !== shared) break;
      this.#targets[edge] = own;
    }
    return own;
  }

  #newState(length: number): number {
    const state = this.#stateCount;
    this.#stateCount += 1;
    this.#lengths[state] = length;
    return state;
  }

  #lengthOf(state: number): number {
    return this.#lengths[state] ?? 0;
  }

  #linkOf(state: number): number {
    return this.#links[state] ?? none;
  }

  /** The state to which a character leads; 0 if the text has no such substring. */
  #step(state: number, code: number): number {
    return this.#targets[this.#edge(state, code)] ?? 0;
  }

  /** The edge of a character; 0 if there is none. */
  #edge(source: number, code: number): number {
    return this.#table[this.#slot(source, code)] ?? 0;
  }

  #connect(source: number, code: number, target: number): void {
    this.#edgeCount += 1;
    const edge = this.#edgeCount;
    this.#table[this.#slot(source, code)] = edge;
    this.#sources[edge] = source;
    this.#codes[edge] = code;
    this.#targets[edge] = target;
    this.#nextEdges[edge] = this.#edgesOf[source] ?? 0;
    this.#edgesOf[source] = edge;
  }

  /** Where in the table the edge is, or would be. */
  #slot(source: number, code: number): number {
    const mask = this.#table.length - 1;
    const hash = Math.imul(Math.imul(source, 0x9e37_79b1) ^ code, 0x85eb_ca6b);
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const edge = this.#table[slot] ?? 0;
      if (edge === 0 || (this.#sources[edge] === source && this.#codes[edge] === code)) return slot;
    }
  }

  /** All states but the first: each after its link, whose substrings are shorter. */
  #byLength(): Int32Array {
    const lengths = this.#lengths.subarray(1, this.#stateCount);
    const places = new Int32Array(this.#size + 2);
    for (const length of lengths) places[length + 1] = (places[length + 1] ?? 0) + 1;
    for (let length = 1; length < places.length; length += 1) {
      places[length] = (places[length] ?? 0) + (places[length - 1] ?? 0);
    }
    const ordered = new Int32Array(lengths.length);
    for (const [index, length] of lengths.entries()) {
      const place = places[length] ?? 0;
      ordered[place] = index + 1;
      places[length] = place + 1;
    }
    return ordered;
  }
}
