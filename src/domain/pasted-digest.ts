/** The hash of React is an unsigned 32-bit number. Next.js appends a code of its own. */
const hashMax = 4_294_967_295
/** A number of this length is complete: following digits are another number. */
const wholeDigits = 8
const code = /^@E\d{1,8}/i
/** Maximum characters to search. A sentence with its digest is shorter. */
const textMax = 2000
/** Invisible characters that pages and chats insert between digits. */
const unseen = /[\u00ad\u200b-\u200f\u2060\ufeff]/g

/** Returns whether a text can be a digest: a number from React, free text from others. */
export const isDigest = (text: string): boolean => /^[\w@;:.-]{1,200}$/.test(text)

/** Returns the number at the start of a text. Joins groups of digits as long as they can be one hash. */
function numberAt(text: string): string | undefined {
  let digits = ''
  let remaining = text
  let isExact = false
  for (let group = /^\d+/.exec(remaining)?.[0]; group !== undefined; group = /^\d+/.exec(remaining)?.[0]) {
    const joined = digits + group
    if (isExact || (digits !== '' && Number(joined) > hashMax)) break
    isExact = digits === '' && group.length >= wholeDigits
    digits = joined
    remaining = remaining.slice(group.length)
    const behind = code.exec(remaining)?.[0]
    if (behind !== undefined) return digits + behind.toUpperCase()
    remaining = remaining.replace(/^\s+/, '')
  }
  return digits.length >= 3 && digits.length <= 20 ? digits : undefined
}

/** Text between a word and its number: punctuation, formatting characters and filler words. */
const punctuation = String.raw`[\s:=#"'` + '`' + String.raw`“”„«»()[\]{}<>*_.,;|/\\–—-]{0,20}`
const between = new RegExp(
  String.raw`digest\b${punctuation}(?:(?:is|was|no|nr|number|code|id)\b${punctuation})?(?=\d)`,
  'gi',
)
/** Digests of applications are not plain numbers: they follow a colon or an equals sign. */
const opaque = /digest["'*]{0,3}\s?[:=]\s?["'*]{0,3}\s?(?=[a-z_@;-]{0,63}\d)([\w@;-]{4,64})(?![\w@;-])/gi
/** Next.js shows "ERROR 2774530904". Browsers translate it. */
const error =
  /(?<!\p{L})(?:error|errore|erro|erreur|fehler|fout|fel|feil|fejl|virhe|błąd|chyba|hata|ошибка|エラー|错误|錯誤|오류)[\s:#]{0,5}(?=\d)/giu

/** A number without the word digest must have the length of a digest and must not be two short numbers. */
const isLoneDigest = (text: string, digest: string) => digest.length >= (/\d\s+\d/.test(text) ? wholeDigits : 6)

/** Returns the number after a word for error, if it is complete. */
function behindError(text: string): string | undefined {
  const word = [...text.matchAll(error)].at(-1)
  if (!word) return undefined
  const after = text.slice(word.index + word[0].length)
  const whole = /^[\d\s]*(?:@E\d{1,8})?(?![\w@]|[.,:/-]\d)/i.exec(after)?.[0]
  const digest = whole === undefined ? undefined : numberAt(whole)
  return digest !== undefined && isLoneDigest(whole ?? '', digest) ? digest : undefined
}

/**
 * Returns the digest in a text copied from an error screen: within a sentence, with spaces in it, or alone. `named`:
 * the text calls it a digest. undefined: no digest found.
 */
export function pastedDigest(pasted: string): { digest: string; named: boolean } | undefined {
  const text = pasted.slice(0, textMax).normalize('NFKC').replace(unseen, '').trim()
  // Take the last match: "digest" can be in the sentence before the number.
  const behind = [...text.matchAll(between)].at(-1)
  if (behind) {
    const digest = numberAt(text.slice(behind.index + behind[0].length))
    return digest === undefined ? undefined : { digest, named: true }
  }
  const last = [...text.matchAll(opaque)].at(-1)?.[1]
  if (last) return { digest: last, named: true }
  const shown = behindError(text)
  if (shown) return { digest: shown, named: false }
  if (!/^[\d\s]+(?:@E\d{1,8})?$/i.test(text)) return undefined
  const digest = numberAt(text)
  if (digest === undefined || text.replace(/\s/g, '').length !== digest.length) return undefined
  return isLoneDigest(text, digest) ? { digest, named: false } : undefined
}
