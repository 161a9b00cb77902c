// One pass over a payload's bytes in place of two walks with patterns on every text: 30 us against 180 us for 12 kB.
// It may call a harmless payload suspect (then the walks decide), and never the other way round.

/** What the bytes of a JSON text can hold at most. */
export type Scan = {
  /** No name, sign or number in it can make any of the default rules match, whatever normalizing makes of it. */
  harmless: boolean
  /** Levels of objects and lists; right when `harmless`. */
  depth: number
  /** No line break stands between its values; right when `harmless`. */
  oneLine: boolean
}

const isDigit = (byte: number) => byte >= 48 && byte <= 57
const isAlnum = (byte: number) => isDigit(byte) || ((byte | 32) >= 97 && (byte | 32) <= 122)

/** Whether the lower-case ASCII `word` stands at `at` in any case. */
function isAt(bytes: Uint8Array, at: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const byte = bytes[at + i] ?? 0
    if ((byte >= 65 && byte <= 90 ? byte | 32 : byte) !== word.charCodeAt(i)) return false
  }
  return true
}

/** One lower-case letter in any case; asked first, because it mostly ends the question. */
const has = (bytes: Uint8Array, at: number, letterCode: number) => ((bytes[at] ?? 0) | 32) === letterCode

/** Whether a name can begin at `at`: behind anything but a letter or digit, or behind an escape like \n. */
function begins(bytes: Uint8Array, at: number): boolean {
  return !isAlnum(bytes[at - 1] ?? 0) || bytes[at - 2] === 92
}

/** Whether `word` ends in front of `end` with at most 4 bytes between: tags turn any sign between two words to one. */
function stands(bytes: Uint8Array, end: number, word: string): boolean {
  for (let gap = 0; gap <= 4; gap++) if (isAt(bytes, end - gap - word.length, word)) return true
  return false
}

/** Whether an @ ends the user of a URL: back to its two slashes (each may be escaped) stand only signs of a user. */
function endsUser(bytes: Uint8Array, at: number): boolean {
  for (let i = at - 1; i >= 0; i--) {
    const byte = bytes[i] ?? 0
    if (byte === 47) return bytes[i - 1] === 47 || (bytes[i - 1] === 92 && bytes[i - 2] === 47)
    if (byte === 63 || byte === 35 || byte === 64 || byte === 32) return false
  }
  return false
}

/**
 * Looks at the least usual letter of each secret word, for a handful of all bytes. Each entry tells whether a word stands
 * around `at`. Names as a whole count at their edges only; names with a gap ("api key") with any sign within.
 */
const letters: Readonly<Record<string, (bytes: Uint8Array, at: number) => boolean>> = {
  // password, passwd, mysql_pwd, jwt
  w: (b, at) => isAt(b, at - 2, 'ss') || isAt(b, at - 1, 'pwd') || isAt(b, at - 1, 'jwt'),
  // token, api_key, private_key, set-cookie
  k: (b, at) =>
    isAt(b, at - 2, 'token') ||
    (isAt(b, at, 'key') && (stands(b, at, 'api') || stands(b, at, 'private'))) ||
    (isAt(b, at - 3, 'cookie') && stands(b, at - 3, 'set')),
  h: (b, at) => has(b, at - 1, 116) && isAt(b, at - 3, 'auth'),
  c: (b, at) => has(b, at + 1, 114) && (isAt(b, at - 2, 'secret') || isAt(b, at, 'credentials')),
  // csrf, xsrf, two_factor
  f: (b, at) => isAt(b, at - 2, 'srf') || (isAt(b, at, 'factor') && stands(b, at, 'two')),
  // session, _session, session_id, laravel_session, asp.net_sessionid
  o: (b, at) =>
    has(b, at - 1, 105) &&
    isAt(b, at - 5, 'session') &&
    (isAt(b, at + 2, 'id') || (begins(b, at - 5) && !isAlnum(b[at + 2] ?? 0))),
  // phpsessid, sid, connect.sid
  d: (b, at) =>
    has(b, at - 1, 105) &&
    (isAt(b, at - 5, 'sess') || (isAt(b, at - 2, 'sid') && begins(b, at - 2) && !isAlnum(b[at + 1] ?? 0))),
  p: (b, at) => has(b, at - 1, 116) && isAt(b, at - 2, 'otp') && begins(b, at - 2) && !isAlnum(b[at + 1] ?? 0),
  // "bearer x", where a plus or an escape may stand for the blank; -----BEGIN
  b: (b, at) =>
    has(b, at + 1, 101) &&
    ((isAt(b, at, 'bearer') && [32, 43, 92].includes(b[at + 6] ?? 0)) || isAt(b, at - 5, '-----begin')),
  // the user of a URL
  '@': endsUser,
  // an encoded sign of ASCII
  '%': (b, at) => (b[at + 1] ?? 0) >= 50 && (b[at + 1] ?? 0) <= 55,
}

/** First bytes of letters that become ASCII in another case: the Kelvin sign is k, dotless i is I, long s is S. */
const folding: Readonly<Record<number, (bytes: Uint8Array, at: number) => boolean>> = {
  226: (b, at) => b[at + 1] === 0x84 && b[at + 2] === 0xaa,
  196: (b, at) => b[at + 1] === 0xb1,
  197: (b, at) => b[at + 1] === 0xbf,
}

const [plain, quote, backslash, opens, closes, lineEnd, digit, letter] = [0, 1, 2, 3, 4, 5, 6, 7]

/** What the pass does at a byte, and which test it asks from `letter` on. */
function makeTables(): { kinds: Uint8Array; tests: ((bytes: Uint8Array, at: number) => boolean)[] } {
  const kinds = new Uint8Array(256)
  const tests: ((bytes: Uint8Array, at: number) => boolean)[] = []
  const signs = {
    '"': quote,
    '\\': backslash,
    '{': opens,
    '[': opens,
    '}': closes,
    ']': closes,
    '\n': lineEnd,
    '\r': lineEnd,
  }
  for (const [sign, kind] of Object.entries(signs)) kinds[sign.charCodeAt(0)] = kind
  for (let byte = 48; byte <= 57; byte++) kinds[byte] = digit
  const all = Object.entries(letters).map(([sign, run]) => [[sign, sign.toUpperCase()], run] as const)
  for (const [both, run] of all) {
    for (const sign of both) kinds[sign.charCodeAt(0)] = letter + tests.length
    tests.push(run)
  }
  for (const [byte, run] of Object.entries(folding)) {
    kinds[Number(byte)] = letter + tests.length
    tests.push(run)
  }
  return { kinds, tests }
}
const { kinds, tests } = makeTables()

/** Digits seen one after another: `count` since one that can begin a card number, `old` and `older` groups with dashes. */
type Numbers = { end: number; count: number; old: number; older: number }

/** What may stand between two digits of a number: blank, dash, plus (a blank in queries), escaped line breaks. */
function separated(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const byte = bytes[i] ?? 0
    const sign = byte === 32 || byte === 45 || byte === 43 || byte === 92
    if (!sign && !((byte === 110 || byte === 114) && bytes[i - 1] === 92)) return false
  }
  return true
}

/** Takes the group of digits at `start`; true when it makes 13 digits that can be a card's, or 3-2-4 digits. */
function takesDigits(bytes: Uint8Array, start: number, end: number, seen: Numbers): boolean {
  const before = bytes[start - 1] ?? 0
  const size = end - start
  if (seen.count > 0 && !separated(bytes, seen.end, start)) seen.count = 0
  if (before !== 45 || start - 1 !== seen.end) [seen.older, seen.old] = [0, 0]
  const first = bytes[start] ?? 0
  // cards begin with 2 to 6, and neither behind a dot nor behind a dash
  if (seen.count > 0 || (first >= 50 && first <= 54 && before !== 46 && before !== 45)) seen.count += size
  if (seen.count >= 13 || (size >= 4 && seen.old === 2 && seen.older === 3)) return true
  seen.older = seen.old
  seen.old = size
  seen.end = end
  return false
}

const suspect: Scan = { harmless: false, depth: 0, oneLine: false }

/** Reads the bytes of one JSON text, as JSON.parse took it; stops at the first reason for suspicion. Linear. */
export function scan(bytes: Uint8Array): Scan {
  if (bytes[0] === 0xef) return suspect
  const numbers: Numbers = { end: -1, count: 0, old: 0, older: 0 }
  let [depth, deepest, inString, oneLine] = [0, 0, false, true]
  const size = bytes.length
  for (let i = 0; i < size; i++) {
    const kind = kinds[bytes[i] ?? 0] ?? 0
    if (kind === plain) continue
    if (kind === quote) inString = !inString
    else if (kind >= letter) {
      if (tests[kind - letter]?.(bytes, i)) return suspect
    } else if (kind === digit) {
      const start = i
      while (i + 1 < size && isDigit(bytes[i + 1] ?? 0)) i++
      if (takesDigits(bytes, start, i + 1, numbers)) return suspect
      // 1e15 is written out as a text
      if (!inString && i + 1 < size && ((bytes[i + 1] ?? 0) | 32) === 101) return suspect
    } else if (kind === backslash) {
      // \u hides any sign, also within JSON that is a text itself
      const next = bytes[i + 1] ?? 0
      if (next === 117 || (next === 92 && bytes[i + 2] === 117)) return suspect
      i++
    } else if (inString) continue
    else if (kind === opens) deepest = Math.max(deepest, ++depth)
    else if (kind === closes) depth--
    else oneLine = false
  }
  return { harmless: true, depth: deepest, oneLine }
}
