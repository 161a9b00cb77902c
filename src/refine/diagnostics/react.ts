import messages from './react-messages.json' with { type: 'json' }

// The texts are React's own list (docs/decisions/dependencies.md says where it is from); a test holds it to the installed React.
const texts: Readonly<Record<string, string>> = messages

/** 418 without arguments is React 18's, whose text had none. */
const react18Mismatch = 'Hydration failed because the initial UI does not match what was rendered on the server.'

const argumentsMax = 20
const argumentMax = 500
const messageMax = 2000

/** A minified error: its number, its arguments, and its text with them; without `message` the number is unknown. */
export type ReactError = { code: number; args: string[]; message?: string }

/** What a minified error begins with. */
export const heads = ['Minified React error #', 'react.dev/errors/', 'error-decoder.html?invariant='] as const

/**
 * The minified React error that a text names, by the sentence of production builds or by its address alone, in the forms of
 * React 15 to 19. Arguments are texts: missing ones read `<redacted>`, those too many are left out.
 */
export function reactError(text: string): ReactError | undefined {
  for (const head of heads) {
    const at = text.indexOf(head)
    if (at < 0) continue
    const number = /^\d{1,4}(?!\d)/.exec(text.slice(at + head.length, at + head.length + 5))?.[0]
    if (number === undefined) continue
    const args = argumentsIn(text, at)
    const code = Number(number)
    const template = code === 418 && args.length === 0 ? react18Mismatch : texts[number]
    return template === undefined ? { code, args } : { code, args, message: fill(template, args) }
  }
  return undefined
}

/** Values of `args[]` of the address that stands at or behind `from`. */
function argumentsIn(text: string, from: number): string[] {
  const query = /[?&](?=args(?:\[\]|%5[bB]%5[dD])=)/g
  query.lastIndex = from
  const start = query.exec(text)
  if (!start) return []
  const end = /\s/g
  end.lastIndex = start.index
  const found = text.slice(start.index + 1, end.exec(text)?.index)
  return found.split('&', argumentsMax).flatMap((pair) => {
    const value = /^args(?:\[\]|%5[bB]%5[dD])=(.*)$/s.exec(pair)?.[1]
    return value === undefined ? [] : [decoded(value).slice(0, argumentMax)]
  })
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value // cut in the middle of a sign
  }
}

function fill(template: string, args: readonly string[]): string {
  const parts = template.split('%s')
  const whole = parts.map((part, i) => (i === 0 ? part : `${args[i - 1] ?? '<redacted>'}${part}`)).join('')
  return whole.trim().slice(0, messageMax).toWellFormed()
}
