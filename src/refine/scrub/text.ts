import type { Rules } from './rules.ts'

export const filtered = '[Filtered]'

/** A text after scrubbing and the rule that changed it; the same object is never given for a text that stays. */
export type Scrubbed = { text: string; rule: string }

/**
 * Scrubs secrets within a text: bearer tokens, private keys, user info of URLs, card numbers, US social security numbers,
 * `name=value` and `"name": "value"` with a secret's name. Returns undefined when nothing was found. Linear in the text.
 */
export function scrubText(text: string, rules: Rules): Scrubbed | undefined {
  if (rules.byText?.(text)) return { text: filtered, rule: '@sensitive' }
  // Most texts hold no sign that any rule needs.
  if (!/[=@]|":|-----|[Bb][Ee]arer|\d{2}[\d -]/.test(text)) return undefined
  let out = text
  let rule = ''
  const take = (next: string, name: string) => {
    if (next === out) return
    out = next
    rule ||= name
  }
  if (rules.defaults && out.length >= 6) {
    if (out.includes('-----BEGIN'))
      take(
        out.replace(/(-----BEGIN [A-Z ]{0,40}(?:PRIVATE|PUBLIC) KEY-----)[^-]{1,16384}/g, `$1\n${filtered}\n`),
        '@pemkey',
      )
    if (/earer /i.test(out)) take(out.replace(/\b(bearer )[\w.~+/=-]{4,4096}/gi, `$1${filtered}`), '@bearer')
    if (out.includes('@') && out.includes('://'))
      take(
        out.replace(/(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#@:]{1,256}(?::[^\s/?#@]{0,256})?@/gi, `$1${filtered}@`),
        '@urlauth',
      )
    if (/\d{2}[\d -]/.test(out)) take(scrubNumbers(out), '@creditcard')
  }
  if (out.includes('=')) take(scrubAssignments(out, rules), '@password')
  if (out.includes('":')) take(scrubQuoted(out, rules), '@password')
  return rule ? { text: out, rule } : undefined
}

/** Card numbers (13 to 19 digits of the large issuers' shapes, Luhn valid) and social security numbers with dashes. */
function scrubNumbers(text: string): string {
  return text
    .replace(
      /(?<![\w.-])(?:4\d{3}|5[1-5]\d{2}|2[2-7]\d{2}|6011|65\d{2}|3[47]\d{2})(?:[ -]?\d){9,15}(?![\w-]|\.\d)/g,
      (found) => (luhn(found) ? filtered : found),
    )
    .replace(/(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g, filtered)
}

function luhn(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    let digit = digits.charCodeAt(digits.length - 1 - i) - 48
    if (i % 2 === 1) digit = digit > 4 ? digit * 2 - 9 : digit * 2
    sum += digit
  }
  return digits.length >= 13 && digits.length <= 19 && sum % 10 === 0
}

const isNameSign = (code: number) =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 95 ||
  code === 45 ||
  code === 46

/** `token=abc&x=1`, `password=abc`, `sessionid=1; a=b`: the name in front of each sign decides about what follows it. */
function scrubAssignments(text: string, rules: Rules): string {
  let out = ''
  let from = 0
  for (let at = text.indexOf('='); at >= 0; at = text.indexOf('=', at + 1)) {
    if (at < from) continue
    let start = at
    while (start > from && at - start < 64 && isNameSign(text.charCodeAt(start - 1))) start -= 1
    if (start === at || !rules.about(text.slice(start, at)).rule) continue
    const end = valueEnd(text, at + 1)
    if (end === at + 1 || text.startsWith(filtered, at + 1)) continue
    out += text.slice(from, at + 1) + filtered
    from = end
  }
  return from === 0 ? text : out + text.slice(from)
}

/** A value ends at a separator; one in quotes at its closing quote. */
function valueEnd(text: string, start: number): number {
  const quote = text[start]
  if (quote === '"' || quote === "'") {
    const close = text.indexOf(quote, start + 1)
    return close < 0 ? text.length : close + 1
  }
  let end = start
  while (end < text.length && !' \t\r\n&;,#"\''.includes(text[end] ?? ' ')) end += 1
  return end
}

/** `"password": "abc"` within a text that holds JSON, whole or in part. */
function scrubQuoted(text: string, rules: Rules): string {
  let out = ''
  let from = 0
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) {
    if (at < from) continue
    const open = text.lastIndexOf('"', at - 1)
    if (open < from || at - open > 65 || !rules.about(text.slice(open + 1, at)).rule) continue
    let start = at + 2
    while (text[start] === ' ') start += 1
    if (text[start] !== '"') continue
    const end = stringEnd(text, start + 1)
    if (text.startsWith(filtered, start + 1)) continue
    out += `${text.slice(from, start + 1)}${filtered}"`
    from = end
  }
  return from === 0 ? text : out + text.slice(from)
}

function stringEnd(text: string, start: number): number {
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 92) i += 1
    else if (code === 34) return i + 1
  }
  return text.length
}
