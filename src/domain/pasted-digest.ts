/** React's hash is an unsigned number of 32 bits; Next.js puts a code of its own behind it. */
const hashMax = 4_294_967_295
/** A number of this length is complete: the digits behind it are another number. */
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

/** What stands between a word and its number: signs, also those that format a text, and what is said between. */
const signs = String.raw`[\s:=#"'` + '`' + String.raw`“”„«»()[\]{}<>*_.,;|/\\–—-]{0,20}`
const between = new RegExp(String.raw`digest\b${signs}(?:(?:is|was|no|nr|number|code|id)\b${signs})?(?=\d)`, 'gi')
/** An application's own names are no numbers: they stand behind a sign. */
const opaque = /digest["'*]{0,3}\s?[:=]\s?["'*]{0,3}\s?(?=[a-z_@;-]{0,63}\d)([\w@;-]{4,64})(?![\w@;-])/gi
/** Next.js itself shows "ERROR 2774530904"; browsers translate it. */
const error =
  /(?<!\p{L})(?:error|errore|erro|erreur|fehler|fout|fel|feil|fejl|virhe|błąd|chyba|hata|ошибка|エラー|错误|錯誤|오류)[\s:#]{0,5}(?=\d)/giu

/** A number that nothing calls a digest must be as long as a digest, and must not be two short numbers. */
const isAlone = (text: string, digest: string) => digest.length >= (/\d\s+\d/.test(text) ? wholeDigits : 6)

/** The number behind the word for an error, where it is one as a whole. */
function behindError(text: string): string | undefined {
  const word = [...text.matchAll(error)].at(-1)
  if (!word) return undefined
  const rest = text.slice(word.index + word[0].length)
  const whole = /^[\d\s]*(?:@E\d{1,8})?(?![\w@]|[.,:/-]\d)/i.exec(rest)?.[0]
  const digest = whole === undefined ? undefined : numberAt(whole)
  return digest !== undefined && isAlone(whole ?? '', digest) ? digest : undefined
}

/**
 * The digest in what a person copied from an error screen: with the sentence around it, with spaces in it, or alone.
 * `named`: the text calls it a digest. undefined: it holds none.
 */
export function pastedDigest(pasted: string): { digest: string; named: boolean } | undefined {
  const text = pasted.slice(0, textMax).normalize('NFKC').replace(unseen, '').trim()
  // The last one: "digest" may stand in the sentence before the number.
  const behind = [...text.matchAll(between)].at(-1)
  if (behind) {
    const digest = numberAt(text.slice(behind.index + behind[0].length))
    return digest === undefined ? undefined : { digest, named: true }
  }
  const own = [...text.matchAll(opaque)].at(-1)?.[1]
  if (own) return { digest: own, named: true }
  const shown = behindError(text)
  if (shown) return { digest: shown, named: false }
  if (!/^[\d\s]+(?:@E\d{1,8})?$/i.test(text)) return undefined
  const digest = numberAt(text)
  if (digest === undefined || text.replace(/\s/g, '').length !== digest.length) return undefined
  return isAlone(text, digest) ? { digest, named: false } : undefined
}
