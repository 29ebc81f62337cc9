/** What applies to the whole API: the introduction of its description (CommonMark). */
export const overview = `\
jobd calls your URLs on a schedule and records every call as a run.

## Keys

Every request needs a key of one workspace: \`Authorization: Bearer cp_…\`. A key can read, or read and write. It is shown \
only once, when it is created. Keep it on servers, never in a page or an app. Objects of other workspaces get 404, as if \
they did not exist.

## Sessions

A browser signs in with \`POST /session\`: with a key, or with the link that \`jobd open\` prints on the server. It gets a \
cookie that scripts cannot read. A request with an \`Authorization\` header does not use the cookie. With the cookie, a request \
other than GET needs the header \`X-Jobd-Workspace\` with the id of the session's workspace: without it the answer is 403, with \
another id 409. A request that a page of another site makes gets 403. Only sessions that \`jobd open\` started manage keys.

## Requests and answers

Bodies are JSON in UTF-8, at most 256 KiB (definitions: 1 MiB), with \`Content-Type: application/json\`. Unknown fields are refused, and types \
are strict: \`"60"\` is not a number. Lengths count characters. Times are ISO 8601 in UTC, with milliseconds. Ids are UUIDs \
in lower case; upper case is accepted. Answers may get new fields.

You can send the \`job\`, \`monitor\` or \`channel\` object of a GET back by PATCH, changed or not. Null means that \
a field is omitted: it gets its default at creation and keeps its value in an update. Where a field says what null means, as \
\`body\`, it means that. PATCH also takes \`application/merge-patch+json\`.

Every failure is answered with \`{ "error": "…" }\`: a sentence that says what is wrong, where, and what would be right. \
Programs should use the status; the sentence is for people.

## Pages

Lists start with the newest item. Pass \`nextCursor\` of one page as \`cursor\` to get the next page; it is null on the \
last page. New items do not shift the pages.

## Limits

A key may make 120 requests in any 60 s, its sessions together 300. Further requests get 429 with \`Retry-After: 60\`. So does a second manual run of a \
job within a minute. Answers to requests with a valid key say in \`RateLimit-Policy\` and \`RateLimit\` what the limit is and what of it \
is left: \`"key";r=119;t=60\` means 119 more requests now, and further ones in 60 seconds.

The plan of an account limits the number of jobs, how often they are due and how long a call may take. A request beyond a \
limit gets 403, and the error names the limit. After the end of a trial or a subscription, running and editing get 402, and \
no scheduled calls are made; reading and deleting still work. \`GET /me\` returns the limits and the current usage.
`;
