/** What holds for the API as a whole: the text at the head of its description (CommonMark). */
export const overview = `\
jobd calls URLs of yours on schedule, and records every call as a run.

## Keys

Every request carries a key of one workspace, as \`Authorization: Bearer cp_…\`. A key may read, or read and write; \
it is shown once, when it is made, and belongs on servers, never into a page or an app. What other workspaces \
own does not exist for a key: asking for it is 404.

## Requests and answers

Bodies are JSON in UTF-8, of at most 256 KiB, with \`Content-Type: application/json\`. A field that is not known is \
refused, and types are strict: \`"60"\` is not a number. Lengths count characters. Times are ISO 8601 in UTC, with \
milliseconds. Ids are UUIDs in lower case; upper case is accepted. New fields may appear in answers.

What GET answers inside \`job\` (or \`monitor\`, \`channel\`) can be sent to PATCH, changed or not. Null for a field of a schedule \
says that it is not given: the default when it is created, no change in an update.

Whatever fails is answered \`{ "error": "…" }\`: a sentence that says what is wrong, where, and what would be right. \
Go by the status; the sentence is for people.

## Pages

Lists begin with the newest. \`nextCursor\` of one page, passed as \`cursor\`, leads to the next one; it is null on the \
last. What is added meanwhile does not shift the pages.

## Limits

A key may ask 120 times in any 60 s. Beyond that the answer is 429 with \`Retry-After: 60\`. A second run by hand of \
one job within a minute is answered the same.

The plan of an account limits how many jobs it has, how often they are due and how long a call may take; beyond that \
the answer is 403 and names the limit. After the end of a trial or a subscription, running and editing are 402, and \
schedules stand still; reading and deleting go on. \`GET /me\` tells the limits and what is used of them.
`;
