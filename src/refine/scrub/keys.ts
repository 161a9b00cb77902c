/**
 * Keys whose vendors document a form, so that they are recognized without a name next to them. Each starts after
 * anything but a letter or digit. Each length is bounded.
 */
const keyForms = [
  '(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])', // AWS
  'gh[pousr]_[A-Za-z0-9]{36,251}', // GitHub
  'github_pat_[A-Za-z0-9_]{22,251}',
  'glpat-[\\w-]{20,251}', // GitLab
  '[sr]k_(?:live|test)_[A-Za-z0-9]{10,247}', // Stripe
  'xox[abeoprs]-[A-Za-z0-9-]{10,250}', // Slack
  'xapp-[A-Za-z0-9-]{10,250}',
  'npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])',
  'AIza[\\w-]{35}(?![\\w-])', // Google
  'SG\\.[\\w-]{16,64}\\.[\\w-]{16,128}', // SendGrid
  'eyJ[\\w-]{8,512}\\.[\\w-]{8,8192}(?:\\.[\\w-]{0,2048})?', // JSON Web Token: a header and a body that are JSON
]
/** Not after a letter or digit, except after an encoded character as in URLs and forms: "%20ghp_". */
const boundary = '(?<![A-Za-z0-9](?<!%[0-9A-Fa-f]{2}))'
const keys = new RegExp(`${boundary}(?:${keyForms.join('|')})`, 'g')
/** OpenAI, Anthropic and others. Style sheet names have this form, too, but not all three kinds of characters. */
const mixedKey = new RegExp(`${boundary}sk-[\\w-]{20,251}`, 'g')
const isMixed = (text: string) => /\d/.test(text) && /[A-Z]/.test(text) && /[a-z]/.test(text.slice(3))

/** Lengths of IBANs by country (registry of ISO 13616). */
const ibanLengths: Readonly<Record<string, number>> = {
  AD: 24,
  AE: 23,
  AL: 28,
  AT: 20,
  AZ: 28,
  BA: 20,
  BE: 16,
  BG: 22,
  BH: 22,
  BI: 27,
  BR: 29,
  BY: 28,
  CH: 21,
  CR: 22,
  CY: 28,
  CZ: 24,
  DE: 22,
  DJ: 27,
  DK: 18,
  DO: 28,
  EE: 20,
  EG: 29,
  ES: 24,
  FI: 18,
  FK: 18,
  FO: 18,
  FR: 27,
  GB: 22,
  GE: 22,
  GI: 23,
  GL: 18,
  GR: 27,
  GT: 28,
  HN: 28,
  HR: 21,
  HU: 28,
  IE: 22,
  IL: 23,
  IQ: 23,
  IS: 26,
  IT: 27,
  JO: 30,
  KW: 30,
  KZ: 20,
  LB: 28,
  LC: 32,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  LY: 25,
  MC: 27,
  MD: 24,
  ME: 22,
  MK: 19,
  MN: 20,
  MR: 27,
  MT: 31,
  MU: 30,
  NI: 28,
  NL: 18,
  NO: 15,
  OM: 23,
  PK: 24,
  PL: 28,
  PS: 29,
  PT: 25,
  QA: 29,
  RO: 24,
  RS: 22,
  RU: 33,
  SA: 24,
  SC: 31,
  SD: 18,
  SE: 24,
  SI: 19,
  SK: 24,
  SM: 27,
  SO: 23,
  ST: 25,
  SV: 28,
  TL: 23,
  TN: 24,
  TR: 26,
  UA: 29,
  VA: 22,
  VG: 24,
  XK: 20,
  YE: 30,
}
const iban = new RegExp(`${boundary}[A-Z]{2}\\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])`, 'g')

/** The number of characters of the account number at the start of the text, including spaces; 0 if there is none. */
function ibanIn(text: string): number {
  const wanted = ibanLengths[text.slice(0, 2)] ?? 0
  let signs = ''
  let end = 0
  for (; end < text.length && signs.length < wanted; end++) if (text[end] !== ' ') signs += text[end]
  if (signs.length < wanted || /[A-Z0-9]/.test(text[end] ?? '')) return 0
  // ISO 7064: letters count as 10 to 35, the first four characters move to the end, and the remainder by 97 is 1.
  let rest = 0
  for (const sign of signs.slice(4) + signs.slice(0, 4)) {
    const value = Number.parseInt(sign, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1 ? end : 0
}

/** Replaces keys of known forms by `filtered`. Returns the same text if it has none. Linear in the text. */
export const scrubKeys = (text: string, filtered: string): string =>
  text.replace(keys, filtered).replace(mixedKey, (found) => (isMixed(found) ? filtered : found))

/** Replaces account numbers that have the length of their country and a valid checksum. */
export function scrubIbans(text: string, filtered: string): string {
  let out = ''
  let from = 0
  iban.lastIndex = 0
  for (let found = iban.exec(text); found; found = iban.exec(text)) {
    const length = ibanIn(found[0])
    // A text that looks like an account number, such as a flight number, can overlap the start of the real number.
    iban.lastIndex = found.index + Math.max(1, length)
    if (length === 0) continue
    out += text.slice(from, found.index) + filtered
    from = found.index + length
  }
  return out + text.slice(from)
}

/** A cheap check whether a text can contain a key or an account number, before the patterns above. */
export const keySign =
  /eyJ|A[KS]IA|gh[pousr]_|github_pat_|glpat-|k_(?:live|test)_|xox[abeoprs]-|xapp-|npm_|AIza|SG\.|sk-|[A-Z]{2}\d{2}/
