import type { Findings, Json, NormalEvent } from '../../protocol/event.ts'
import type { Draft } from '../step.ts'
import { object, own, scalar } from '../value.ts'

/**
 * The digest is what a person sees in place of a server error's message. Numbers (React's hash) and the opaque ids that
 * frameworks make count; words do not, and neither do the digests by which Next.js steers (redirects, not-found pages).
 */
const numeric = /^[0-9]{3,20}$/
const opaque = /^[A-Za-z0-9_@;-]{4,64}$/
const steering = /^(?:NEXT_|BAILOUT_|DYNAMIC_SERVER|HANGING_|next-)/i

/** The value when it is a digest, else undefined. */
export function asDigest(value: unknown): string | undefined {
  const text = scalar(value)?.trim()
  if (!text || steering.test(text)) return undefined
  return numeric.test(text) || (opaque.test(text) && /\d/.test(text)) ? text : undefined
}

/** Behind a sign anything that looks like one; behind a mere space only a number ("digest sha256 differs" names none). */
const inText = /\b(?:[dD]igest|DIGEST)(?:["']?\s?[:=]\s?["']?([A-Za-z0-9_@;-]{3,64})|\s["']?(\d{3,20})\b)/
/** As people and programs write it; other spellings are none. */
const word = /[dD]igest|DIGEST/

/** A digest that a text names: `digest: '123'`, `Digest 123`. Only the first 8192 characters are looked at. */
export function digestInText(text: string | undefined): string | undefined {
  if (!text || !word.test(text)) return undefined
  const found = inText.exec(text.slice(0, 8192))
  return asDigest(found?.[1] ?? found?.[2])
}

/** Takes the first digest from tag, contexts, exceptions, breadcrumbs, extra, and says where it was. */
export function digest({ event, sent }: Draft): void {
  if (sent && !mayName(sent.text)) return
  const found =
    fromTags(event) ??
    fromContexts(event) ??
    fromExceptions(event) ??
    fromBreadcrumbs(event) ??
    fromData(event.extra, 'extra', 3) ??
    fromMessage(event)
  if (found) event.findings.digest = found
}

/** Whether a payload's text can name a digest: looking there costs a tenth of looking at each breadcrumb. */
const mayName = (text: string): boolean => text.includes('igest') || text.includes('IGEST') || text.includes('\\u')

type Found = NonNullable<Findings['digest']>

const at = (value: string | undefined, found: string): Found | undefined => (value ? { value, found } : undefined)

function fromTags(event: NormalEvent): Found | undefined {
  for (const [key, value] of event.tags)
    if (/^(?:\w{1,20}[._])?(?:[dD]igest|DIGEST)$/.test(key)) {
      const digest = asDigest(value)
      if (digest) return { value: digest, found: `tags.${key}` }
    }
  return undefined
}

function fromContexts(event: NormalEvent): Found | undefined {
  for (const name of Object.keys(event.contexts)) {
    const found = fromData(event.contexts[name], `contexts.${name}`, 3)
    if (found) return found
  }
  return undefined
}

/** `digest` on the object itself or on one of its objects, to the given number of levels. */
function fromData(value: Json | undefined, path: string, levels: number): Found | undefined {
  const loose = object(value)
  if (!loose) return undefined
  const direct = at(asDigest(own(loose, 'digest')), `${path}.digest`)
  if (direct || levels <= 1) return direct
  for (const key of Object.keys(loose).slice(0, 100)) {
    const inner = loose[key]
    if (typeof inner !== 'object' || inner === null) continue
    const found = fromData(inner as Json, `${path}.${key}`, levels - 1)
    if (found) return found
  }
  return undefined
}

function fromExceptions(event: NormalEvent): Found | undefined {
  const list = event.exception?.values ?? []
  for (let i = list.length - 1; i >= 0; i--) {
    const exception = list[i]
    const found =
      fromData(exception?.mechanism?.data, `exception.values.${i}.mechanism.data`, 2) ??
      fromData(exception?.mechanism?.meta, `exception.values.${i}.mechanism.meta`, 2) ??
      at(digestInText(exception?.value), `exception.values.${i}.value`)
    if (found) return found
  }
  return undefined
}

function fromBreadcrumbs(event: NormalEvent): Found | undefined {
  const list = event.breadcrumbs?.values ?? []
  for (let i = list.length - 1; i >= 0; i--) {
    const crumb = list[i]
    const path = `breadcrumbs.values.${i}`
    const found =
      fromData(crumb?.data, `${path}.data`, 3) ??
      fromArguments(crumb?.data?.['arguments'], `${path}.data.arguments`) ??
      at(digestInText(crumb?.message), `${path}.message`)
    if (found) return found
  }
  return undefined
}

/** What was given to console.error: objects with a digest, or texts that name one. */
function fromArguments(value: Json | undefined, path: string): Found | undefined {
  if (!Array.isArray(value)) return undefined
  for (const [i, one] of value.slice(0, 20).entries()) {
    const found = typeof one === 'string' ? at(digestInText(one), `${path}.${i}`) : fromData(one, `${path}.${i}`, 2)
    if (found) return found
  }
  return undefined
}

function fromMessage(event: NormalEvent): Found | undefined {
  return at(digestInText(event.logentry?.formatted), 'logentry.formatted')
}
