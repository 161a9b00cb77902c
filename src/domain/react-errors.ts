import messages from './react-messages.json' with { type: 'json' }

// The texts are React's own list (source: docs/decisions/dependencies.md). A test compares it with the installed React.
const texts: Readonly<Record<string, string>> = messages

/** 418 without arguments is from React 18, whose text had none. */
const react18Mismatch = 'Hydration failed because the initial UI does not match what was rendered on the server.'

const argumentsMax = 20
const argumentMax = 500
const messageMax = 2000

/** A minified error: its number, arguments and message. Without `message`, the number is unknown. */
export type ReactError = { code: number; args: string[]; message?: string }

/** The beginnings of a minified error. */
export const messagePrefixes = ['Minified React error #', 'react.dev/errors/', 'error-decoder.html?invariant='] as const

/**
 * The minified React error in a text, by the sentence of production builds or by its address, in the formats of React
 * 15 to 19. A missing argument becomes `<redacted>`. Extra arguments are dropped.
 */
export function reactError(text: string): ReactError | undefined {
  for (const prefix of messagePrefixes) {
    const at = text.indexOf(prefix)
    if (at < 0) continue
    const number = /^\d{1,4}(?!\d)/.exec(text.slice(at + prefix.length, at + prefix.length + 5))?.[0]
    if (number === undefined) continue
    const args = argumentsIn(text, at)
    const code = Number(number)
    const template = code === 418 && args.length === 0 ? react18Mismatch : texts[number]
    return template === undefined ? { code, args } : { code, args, message: fill(template, args) }
  }
  return undefined
}

/** The values of `args[]` in the address at or after `from`. */
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
    return value // cut within a percent-encoded character
  }
}

function fill(template: string, args: readonly string[]): string {
  const parts = template.split('%s')
  const whole = parts.map((part, i) => (i === 0 ? part : `${args[i - 1] ?? '<redacted>'}${part}`)).join('')
  return whole.trim().slice(0, messageMax).toWellFormed()
}
