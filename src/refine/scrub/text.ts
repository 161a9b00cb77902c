import { keySign, scrubIbans, scrubKeys } from './keys.ts'
import type { Rules } from './rules.ts'

export const filtered = '[Filtered]'

/** A changed text and the rule that changed it. Unchanged texts give undefined instead. */
type Scrubbed = { text: string; rule: string }

/**
 * Scrubs secrets: bearer tokens, private keys, users in URLs, card and US social security numbers, vendor keys, JSON
 * Web Tokens, IBANs, and `name=value` or `"name": "value"` with a secret name. Undefined if none. Linear in the text.
 */
export function scrubText(text: string, rules: Rules): Scrubbed | undefined {
  if (rules.byText?.(text)) return { text: filtered, rule: '@sensitive' }
  // Most texts contain no character that a rule needs.
  const hasKeySign = keySign.test(text)
  if (!hasKeySign && !/[=@]|["']:|%3[dD]|%40|-----|[Ee][Aa][Rr][Ee][Rr]|\d{2}[\d -]/.test(text)) return undefined
  let out = text
  let rule = ''
  const take = (next: string, name: string) => {
    if (next === out) return
    out = next
    rule ||= name
  }
  if (rules.defaults) {
    take(
      out.replace(/(-----BEGIN [A-Z ]{0,40}(?:PRIVATE|PUBLIC) KEY-----)[^-]{1,16384}/g, `$1\n${filtered}\n`),
      '@pemkey',
    )
    if (/earer(?: |\+|%20)/i.test(out))
      take(
        out.replace(/(?:\b|(?<=%[0-9A-Fa-f]{2}))(bearer(?: |\+|%20))[\w.~+/=%-]{4,4096}/gi, `$1${filtered}`),
        '@bearer',
      )
    if (out.includes('@') && out.includes('://'))
      take(
        out.replace(/(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#@:]{1,256}(?::[^\s/?#@]{0,256})?@/gi, `$1${filtered}@`),
        '@urlauth',
      )
    if (out.includes('%40') && /%3A%2F%2F/i.test(out))
      take(out.replace(/(\b[a-z][a-z0-9+.-]{1,20}%3A%2F%2F)[^\s/?#@&]{1,512}?%40/gi, `$1${filtered}%40`), '@urlauth')
    if (hasKeySign) {
      take(scrubKeys(out, filtered), '@apikey')
      take(scrubIbans(out, filtered), '@iban')
    }
    if (/\d{2}[\d -]/.test(out)) take(scrubNumbers(out), '@creditcard')
  }
  for (const sign of ['=', '%3D', '%3d']) take(scrubAssignments(out, sign, rules), '@password')
  for (const quote of ['"', "'"]) take(scrubQuoted(out, quote, rules), '@password')
  return rule ? { text: out, rule } : undefined
}

/** Card numbers (13 to 19 digits, prefixes of large issuers, Luhn valid) and social security numbers with dashes. */
function scrubNumbers(text: string): string {
  return text
    .replace(
      /(?<![\w.-](?<!%[0-9A-Fa-f]{2}))(?:4\d{3}|5[1-5]\d{2}|2[2-7]\d{2}|6011|65\d{2}|3[47]\d{2})(?:[ -]?\d){9,15}(?![\w-]|\.\d)/g,
      (found) => (luhn(found) ? filtered : found),
    )
    .replace(/(?<![\w-](?<!%[0-9A-Fa-f]{2}))(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g, filtered)
}

function luhn(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    let digit = digits.charCodeAt(digits.length - 1 - i) - 48
    if (i % 2 === 1) digit = digit > 4 ? digit * 2 - 9 : digit * 2
    sum += digit
  }
  return sum % 10 === 0
}

/** Letters, digits, _ - . plus [ ] and %, which forms and encoded queries use; long s and dotless i. */
const isNameSign = (code: number) =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 91) ||
  (code >= 97 && code <= 122) ||
  code === 95 ||
  code === 45 ||
  code === 46 ||
  code === 93 ||
  code === 37 ||
  code === 0x17f ||
  code === 0x131

/**
 * `token=abc&x=1`, `password=abc`, `sessionid=1; a=b`: the name before each sign decides about the value after it.
 * `sign` is `=`, or its code in a query within another query.
 */
function scrubAssignments(text: string, sign: string, rules: Rules): string {
  let out = ''
  let from = 0
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + sign.length)) {
    let start = at
    while (start > from && at - start < 64 && isNameSign(text.charCodeAt(start - 1))) start -= 1
    if (!rules.about(text.slice(start, at)).rule) continue
    const begin = at + sign.length
    const end = valueEnd(text, begin, sign !== '=')
    if (end === begin) continue
    out += text.slice(from, begin) + filtered
    from = end
  }
  return out + text.slice(from)
}

/** The end of a value: a separator (`coded`: also an encoded one), or the closing quote of a quoted value. */
function valueEnd(text: string, start: number, coded: boolean): number {
  const quote = text[start]
  if (quote === '"' || quote === "'") {
    const close = text.indexOf(quote, start + 1)
    return close < 0 ? text.length : close + 1
  }
  let end = start
  while (!' \t\r\n&;,#"\''.includes(text[end] ?? ' ')) {
    if (coded && text.startsWith('%26', end)) break
    end += 1
  }
  return end
}

/**
 * Scrubs `"password": "abc"` in a text with JSON or parts of it. Includes JSON within JSON (`\"password\":\"abc\"`) and
 * single quotes, as Python writes objects.
 */
function scrubQuoted(text: string, quote: string, rules: Rules): string {
  let out = ''
  let from = 0
  const end = `${quote}:`
  for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, at + 2)) {
    // Quotes of a text within a text have backslashes before them: 1, 3, 7.
    let close = at
    while (text[close - 1] === '\\') close -= 1
    const slashes = text.slice(close, at)
    const open = text.lastIndexOf(quote, close - 1)
    if (open < from || close - open > 65 || !rules.about(text.slice(open + 1, close)).rule) continue
    let start = at + 2
    while (text[start] === ' ') start += 1
    const found = quotedValue(text, start, slashes)
    if (!found) continue
    out += `${text.slice(from, found.start)}${found.bare ? slashes + quote + filtered + slashes + quote : filtered}`
    from = found.end
  }
  return out + text.slice(from)
}

/** The start and end of the value at `at`: within its quotes, or a bare number. */
function quotedValue(
  text: string,
  at: number,
  slashes: string,
): { start: number; end: number; bare: boolean } | undefined {
  // Python: b'', u'', and the other quotes around a text that contains these.
  const from = /[bu]/.test(text[at] ?? '') ? at + 1 : at
  for (const entry of ["'", '"']) {
    const open = slashes + entry
    if (!text.startsWith(open, from)) continue
    const start = from + open.length
    return { start, end: stringEnd(text, start, entry, slashes.length), bare: false }
  }
  const number = /^-?\d[\d.eE+-]{0,30}/.exec(text.slice(at, at + 32))
  return number ? { start: at, end: at + number[0].length, bare: true } : undefined
}

/** The index of the closing quote's backslashes. It has exactly as many of them as the opening quote. */
function stringEnd(text: string, start: number, quote: string, slashes: number): number {
  let run = 0
  for (let i = start; i < text.length; i++) {
    const sign = text[i]
    if (sign === '\\') run += 1
    else {
      // Without backslashes at the opening quote, an even number are escaped backslashes and the quote ends the text.
      if (sign === quote && (slashes === 0 ? run % 2 === 0 : run === slashes)) return i - slashes
      run = 0
    }
  }
  return text.length
}
