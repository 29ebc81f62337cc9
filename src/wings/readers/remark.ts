/** A part of a command line, and why it is ignored, done in another way, or cannot be honoured. */
export interface Remark {
  /** As written, without its value. */
  text: string;
  reason: string;
}

/** Reasons that curl, wget and the shell share. */
export const reasons = {
  noFiles: 'jobd keeps the start of each response and writes no files',
  readsNoFiles: 'jobd reads no files: give the content',
  noRedirects: 'jobd does not follow redirects',
  ifRedirected: 'jobd does not follow redirects: give the final URL if this one redirects',
  ownTls: 'jobd verifies certificates as browsers do and has none of its own',
  verifies: 'jobd verifies certificates: a run fails if that of the target is not valid',
  bothFamilies: 'jobd takes any address of the target',
  ownRoute: 'jobd chooses how it connects to the target',
  alwaysSent: 'a job always sends it',
  ownRecord: 'jobd keeps the start of each response by itself',
  noEffect: 'it has no effect on the request',
  headerForm: "write a header as 'Name: value'",
};
