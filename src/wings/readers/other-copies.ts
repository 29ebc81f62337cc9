/** Requests that are copied in a form which is not a command of curl or wget. */

const forms: readonly (readonly [form: RegExp, what: string])[] = [
  [
    /^(?:\$\w+ = New-Object\b|(?:\$\w+ ?= ?)?(?:Invoke-(?:WebRequest|RestMethod)|iwr|irm)\b)/i,
    'a command of PowerShell',
  ],
  [/^(?:await )?fetch ?\(/, 'a call of fetch in JavaScript'],
  [
    /^(?:https?|xhs?)[ \t]+(?:-|:|[A-Z]{3,7}[ \t]|https?:\/\/|[\w-]+\.[\w-])/,
    'a command of HTTPie',
  ],
  [/^[A-Z]{3,7} \S+ HTTP\/\d/, 'a request as it is sent'],
  [
    /^curl(?:\.exe)?[ \t](?=[^]{0,4000}(?: \^\n| \^"))/i,
    'a command of cmd.exe, which other shells read otherwise',
  ],
];

/** What a text is, and what to copy instead, if it is a request in another form; null if it is not. */
export function whyOtherCopy(text: string): string | null {
  const found = forms.find(([form]) => form.test(text));
  if (found === undefined) return null;
  return `this is ${found[1]}: a curl or wget command is read; browsers have "Copy as cURL", or "Copy as cURL (bash)"`;
}
