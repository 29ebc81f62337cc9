/** Something that a command line says, as it was written, and what is to be said about it. */
export interface Remark {
  text: string;
  reason: string;
}
