/** Names of Windows (Unicode CLDR, windowsZones), without " Standard Time", by the zone of the territory that has no name. */
const windowsZones = new Map(
  Object.entries({
    Dateline: 'Etc/GMT+12',
    Hawaiian: 'Pacific/Honolulu',
    Alaskan: 'America/Anchorage',
    Pacific: 'America/Los_Angeles',
    'US Mountain': 'America/Phoenix',
    Mountain: 'America/Denver',
    Central: 'America/Chicago',
    'Central America': 'America/Guatemala',
    'Canada Central': 'America/Regina',
    'Central Standard Time (Mexico)': 'America/Mexico_City',
    Eastern: 'America/New_York',
    'SA Pacific': 'America/Bogota',
    Atlantic: 'America/Halifax',
    Newfoundland: 'America/St_Johns',
    'E. South America': 'America/Sao_Paulo',
    Argentina: 'America/Buenos_Aires',
    GMT: 'Europe/London',
    Greenwich: 'Atlantic/Reykjavik',
    'W. Europe': 'Europe/Berlin',
    'Central Europe': 'Europe/Budapest',
    Romance: 'Europe/Paris',
    'Central European': 'Europe/Warsaw',
    'W. Central Africa': 'Africa/Lagos',
    GTB: 'Europe/Bucharest',
    FLE: 'Europe/Kiev',
    'E. Europe': 'Europe/Chisinau',
    Egypt: 'Africa/Cairo',
    'South Africa': 'Africa/Johannesburg',
    Israel: 'Asia/Jerusalem',
    Turkey: 'Europe/Istanbul',
    Arab: 'Asia/Riyadh',
    Arabian: 'Asia/Dubai',
    Russian: 'Europe/Moscow',
    Iran: 'Asia/Tehran',
    Pakistan: 'Asia/Karachi',
    India: 'Asia/Calcutta',
    'SE Asia': 'Asia/Bangkok',
    China: 'Asia/Shanghai',
    Singapore: 'Asia/Singapore',
    'W. Australia': 'Australia/Perth',
    Taipei: 'Asia/Taipei',
    Tokyo: 'Asia/Tokyo',
    Korea: 'Asia/Seoul',
    'AUS Eastern': 'Australia/Sydney',
    'E. Australia': 'Australia/Brisbane',
    'Cen. Australia': 'Australia/Adelaide',
    'New Zealand': 'Pacific/Auckland',
  }).map(([name, zone]) => [name.toLowerCase(), zone]),
);

/** Abbreviations that are no names of zones, with a zone where they are used. Several mean more than one. */
const abbreviations = new Map(
  Object.entries({
    PST: 'America/Los_Angeles',
    PDT: 'America/Los_Angeles',
    MDT: 'America/Denver',
    CST: 'America/Chicago',
    CDT: 'America/Chicago',
    EDT: 'America/New_York',
    AST: 'America/Halifax',
    BRT: 'America/Sao_Paulo',
    BST: 'Europe/London',
    IST: 'Asia/Kolkata',
    CEST: 'Europe/Berlin',
    EEST: 'Europe/Athens',
    MSK: 'Europe/Moscow',
    JST: 'Asia/Tokyo',
    KST: 'Asia/Seoul',
    SGT: 'Asia/Singapore',
    AEST: 'Australia/Sydney',
    AEDT: 'Australia/Sydney',
    NZST: 'Pacific/Auckland',
    NZDT: 'Pacific/Auckland',
  }),
);

/** What to write instead of a zone in another form; null for one in no known form. */
export function foreignZoneHint(name: string): string | null {
  if (name.length > 64) return null;
  const windows = name.toLowerCase().replace(/ standard time$/, '');
  const zone = windowsZones.get(windows) ?? windowsZones.get(name.toLowerCase());
  if (zone !== undefined && /[ .]/.test(name)) return `that is a name of Windows, for ${zone}`;
  const place = abbreviations.get(name.toUpperCase());
  if (place !== undefined)
    return `${name.toUpperCase()} is no zone; if you mean that of ${place}, write this`;
  return offsetHint(name);
}

/** `UTC+2`, `GMT-05:30`, `+02:00`. The signs of `Etc/GMT` are the other way round. */
function offsetHint(name: string): string | null {
  const [, sign, hours, minutes = '00'] =
    /^(?:UTC|GMT|Z)? ?([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(name) ?? [];
  if (sign === undefined) return null;
  const form = 'an offset has no daylight saving: name a place';
  if (minutes !== '00' || Number(hours) > 12) return form;
  return `${form}, or write Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)} for this offset all year`;
}
