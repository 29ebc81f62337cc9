/** Where in a file of definitions something stands, and what is wrong there. */

/** Line and column count from 1. */
export interface Place {
  /** The file as people named it; `-` for standard input. */
  path: string;
  line: number;
  column: number;
}

/** A sentence about a place. */
export interface Problem {
  place: Place;
  sentence: string;
}

/** `jobs.yaml:12:5`: editors and CI systems make it a link. */
export function placeText({ path, line, column }: Place): string {
  return `${path}:${line}:${column}`;
}

/** A problem in one line. */
export function problemText({ place, sentence }: Problem): string {
  return `${placeText(place)}: ${sentence}`;
}
