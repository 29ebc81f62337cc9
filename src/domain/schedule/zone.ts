/**
 * The names of time zones. ICU accepts any letter case and answers with its own preferred name
 * (`Asia/Calcutta` for `asia/kolkata`), so the case of an alias has to be put right by rule.
 */
import { LRUCache } from 'lru-cache';
import { got, invalidInput } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { foreignZoneHint } from './foreign-zone.ts';

const shape = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;

/** Names that ICU keeps from old Java versions; IANA never had them, and BST would be Dhaka. */
const icuOnly =
  /^(?:ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*)$/i;

/** Words of zone names that are not simply capitalized. */
const spellings = new Map(
  `of es au McMurdo DumontDUrville ComodRivadavia BajaNorte BajaSur DeNoronha EasterIsland
   ACT NSW LHI IN US GB NZ CHAT W SU PRC ROC ROK GMT UTC UCT CET EET MET WET
   EST EDT CST CDT MST MDT PST PDT HST`
    .split(/\s+/)
    .map((word) => [word.toLowerCase(), word]),
);

/** Corrects the letter case of an IANA zone name, and keeps aliases. Throws `invalid_input` for anything else, such as `+02:00`. */
export function canonicalZone(name: string, field = 'timezone'): string {
  const resolved = shape.test(name) && !icuOnly.test(name) ? resolvedZone(name) : null;
  if (resolved === null) {
    const near = nearestZone(name);
    const hint = foreignZoneHint(name) ?? (near === undefined ? null : `did you mean ${near}?`);
    const meant = hint === null ? '' : `; ${hint}`;
    throw invalidInput(
      `${field} must be an IANA name such as Europe/Paris or UTC, ${got(name)}${meant}`,
    );
  }
  const isAlias = resolved.toLowerCase() !== name.toLowerCase();
  return isAlias ? spell(name) : resolved;
}

let allZones: readonly string[] | undefined;

/** A zone of this city, or with nearly this name. */
function nearestZone(name: string): string | undefined {
  const zones = (allZones ??= Intl.supportedValuesOf('timeZone'));
  const city = name.toLowerCase().replaceAll(' ', '_');
  return zones.find((zone) => zone.toLowerCase().endsWith(`/${city}`)) ?? nearest(name, zones);
}

/** Asking ICU takes about 80 µs, and most jobs share a few zones. */
const resolvedZones = new LRUCache<string, string>({ max: 1_000 });

/** ICU's own name for a zone; null if it knows none. */
function resolvedZone(name: string): string | null {
  const known = resolvedZones.get(name);
  if (known !== undefined) return known;
  try {
    const resolved = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions()
      .timeZone;
    resolvedZones.set(name, resolved);
    return resolved;
  } catch {
    return null;
  }
}

function spell(name: string): string {
  return name
    .toLowerCase()
    .replace(/[a-z]+/g, (word) => spellings.get(word) ?? word[0]!.toUpperCase() + word.slice(1));
}
