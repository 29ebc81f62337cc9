import assert from 'node:assert/strict';
import test from 'node:test';
import { JobdError } from '../../../src/domain/errors.ts';
import { canonicalZone } from '../../../src/domain/schedule/zone.ts';

/** Names that Intl.supportedValuesOf omits, in their normal letter case. */
const aliases = `
  Africa/Asmara Africa/Timbuktu America/Argentina/Buenos_Aires America/Argentina/ComodRivadavia
  America/Argentina/Cordoba America/Atikokan America/Atka America/Ensenada America/Fort_Wayne
  America/Indiana/Indianapolis America/Kentucky/Louisville America/Knox_IN America/Montreal
  America/Nuuk America/Porto_Acre America/Rainy_River America/Santa_Isabel America/Shiprock
  America/Thunder_Bay America/Virgin America/Yellowknife Antarctica/South_Pole Asia/Ashkhabad
  Asia/Chongqing Asia/Chungking Asia/Dacca Asia/Ho_Chi_Minh Asia/Istanbul Asia/Kathmandu
  Asia/Kolkata Asia/Macao Asia/Tel_Aviv Asia/Thimbu Asia/Ujung_Pandang Asia/Ulan_Bator
  Asia/Yangon Atlantic/Faroe Atlantic/Jan_Mayen Australia/ACT Australia/Canberra Australia/LHI
  Australia/NSW Australia/North Australia/Queensland Australia/Yancowinna Brazil/Acre
  Brazil/DeNoronha Brazil/East CET CST6CDT Canada/Atlantic Canada/Newfoundland Canada/Yukon
  Chile/Continental Chile/EasterIsland Cuba EET EST EST5EDT Egypt Eire Etc/GMT Etc/GMT+0
  Etc/GMT+12 Etc/GMT-0 Etc/GMT-14 Etc/GMT0 Etc/Greenwich Etc/UCT Etc/UTC Etc/Universal Etc/Zulu
  Europe/Belfast Europe/Kyiv Europe/Nicosia Europe/Tiraspol Europe/Uzhgorod GB GB-Eire GMT GMT+0
  GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya MET MST
  MST7MDT Mexico/BajaNorte Mexico/BajaSur Mexico/General NZ NZ-CHAT Navajo PRC PST8PDT
  Pacific/Chuuk Pacific/Johnston Pacific/Kanton Pacific/Pohnpei Pacific/Samoa Pacific/Yap Poland
  Portugal ROC ROK Singapore Turkey UCT US/Alaska US/Central US/East-Indiana US/Eastern
  US/Indiana-Starke US/Pacific UTC Universal W-SU WET Zulu
  Asia/Calcutta Asia/Katmandu Asia/Rangoon Asia/Saigon America/Godthab Europe/Kiev
  Africa/Dar_es_Salaam America/Port-au-Prince America/Port_of_Spain Europe/Isle_of_Man
  Antarctica/DumontDUrville Antarctica/McMurdo Africa/Porto-Novo`
  .trim()
  .split(/\s+/);

void test('every zone name is accepted in any letter case and normalized', () => {
  for (const name of [...aliases, ...Intl.supportedValuesOf('timeZone')]) {
    for (const written of [name, name.toLowerCase(), name.toUpperCase()]) {
      assert.equal(canonicalZone(written), name);
    }
  }
});

void test('an alias is kept', () => {
  assert.equal(canonicalZone('asia/calcutta'), 'Asia/Calcutta');
  assert.equal(canonicalZone('asia/kolkata'), 'Asia/Kolkata');
});

const refused =
  `+02:00 -03:00 +00 +0100 UTC+3 UTC-5 GMT+5 GMT+05:00 local system localtime Z BST IST PST
  SystemV/EST5 Mars/Olympus Europe Europe/ /Europe/Paris Europe/Paris/ ../UTC Etc/GMT+15
  posix/UTC Factory Etc/Unknown undefined constructor`.split(/\s+/);

for (const name of [
  ...refused,
  '',
  ' ',
  ' UTC',
  'UTC ',
  'UTC\n',
  'Europe/Pari\u017f',
  'x'.repeat(9999),
]) {
  void test(`${JSON.stringify(name.slice(0, 40))} is refused as a time zone`, () => {
    assert.throws(
      () => canonicalZone(name),
      (error) =>
        error instanceof JobdError &&
        error.code === 'invalid_input' &&
        /^timezone must be an IANA name.*got "/.test(error.message) &&
        error.message.length < 200,
    );
  });
}

void test('a zone in the form of another program is refused with what to write instead', () => {
  for (const [name, sentence] of [
    ['W. Europe Standard Time', /name of Windows, for Europe\/Berlin$/],
    ['pacific standard time', /for America\/Los_Angeles$/],
    ['UTC+2', /daylight saving.*Etc\/GMT-2 /],
    ['-05:00', /Etc\/GMT\+5 /],
    ['GMT+05:30', /name a place$/],
    ['PST', /America\/Los_Angeles/],
    ['cest', /CEST is no zone.*Europe\/Berlin/],
    ['Berlin', /did you mean Europe\/Berlin\?$/],
  ] as const) {
    assert.throws(() => canonicalZone(name), sentence, name);
  }
  // Whatever is suggested is a zone.
  for (const name of [
    'Romance Standard Time',
    'China Standard Time',
    'FLE Standard Time',
    'IST',
    'NZDT',
    'UTC-3',
  ]) {
    const message = refusalOf(name);
    const [zone] =
      /[A-Z]\w+\/[\w+-]+(?=[^/]*$)/.exec(message.split('; ').slice(1).join('; ')) ?? [];
    assert.ok(zone !== undefined && canonicalZone(zone) === zone, message);
  }
});

function refusalOf(name: string): string {
  try {
    return canonicalZone(name);
  } catch (error) {
    return (error as Error).message;
  }
}
