/** React's hash is an unsigned number of 32 bits; Next.js puts a code of its own behind it. */
const hashMax = 4_294_967_295
/** A number that is this long is whole: what follows it is another one. */
const wholeDigits = 8
const code = /^@E\d{1,8}/i
/** Characters that are looked at: a sentence with its digest is shorter. */
const textMax = 2000
/** Characters that nobody sees and that pages and chats put between digits. */
const unseen = /[\u00ad\u200b-\u200f\u2060\ufeff]/g

/** Whether a text may be a digest as events have it: of React a number, of others what they like. */
export const isDigest = (text: string): boolean => /^[\w@;:.-]{1,200}$/.test(text)

/** The number at the beginning of a text, its groups put together, as long as they can be one hash. */
function numberAt(text: string): string | undefined {
  let digits = ''
  let rest = text
  let isWhole = false
  for (let group = /^\d+/.exec(rest)?.[0]; group !== undefined; group = /^\d+/.exec(rest)?.[0]) {
    const joined = digits + group
    if (isWhole || (digits !== '' && Number(joined) > hashMax)) break
    isWhole = digits === '' && group.length >= wholeDigits
    digits = joined
    rest = rest.slice(group.length)
    const behind = code.exec(rest)?.[0]
    if (behind !== undefined) return digits + behind.toUpperCase()
    rest = rest.replace(/^\s+/, '')
  }
  return digits.length >= 3 && digits.length <= 20 ? digits : undefined
}

/**
 * The digest in what a person copied from an error screen: with the sentence around it, with spaces in it, or alone.
 * `named`: the text calls it a digest. undefined: it holds none.
 */
export function pastedDigest(pasted: string): { digest: string; named: boolean } | undefined {
  const text = pasted.slice(0, textMax).normalize('NFKC').replace(unseen, '').trim()
  // The last one: "digest" may stand in the sentence before the number.
  const behind = [...text.matchAll(/\bdigest\b[\s:=#"'`“”„«»()]*(?=\d)/gi)].at(-1)
  if (behind) {
    const digest = numberAt(text.slice(behind.index + behind[0].length))
    return digest === undefined ? undefined : { digest, named: true }
  }
  if (!/^[\d\s]+(?:@E\d{1,8})?$/i.test(text)) return undefined
  const digest = numberAt(text)
  if (digest === undefined || text.replace(/\s/g, '').length !== digest.length) return undefined
  // Two short numbers are rather two numbers.
  return digest.length >= (/\s/.test(text) ? wholeDigits : 6) ? { digest, named: false } : undefined
}
