/** What several tools and the shell are told alike, of the same things. */

export const noFiles = 'jobd keeps the beginning of each answer itself, and writes no files';
export const readsNoFiles = 'what is sent is part of the job, and not in a file: give its content';
export const followsNothing = 'jobd follows no redirects';
export const ownTls = 'jobd checks certificates as browsers do, and has none of its own';
export const ownWay = 'jobd finds its own way to the target';
export const alwaysSent = 'a job always sends one';
export const changesNothing = 'it changes nothing about what is sent';
export const headerForm = "a header is 'Name: value'";
