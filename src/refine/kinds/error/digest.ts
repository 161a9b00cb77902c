import type { Findings, NormalBreadcrumb, NormalEvent } from '../../../domain/event.ts'
import type { Json } from '../../../wire/json.ts'
import type { Draft } from '../../pipeline/draft.ts'
import { object, own, scalar } from '../../pipeline/value.ts'
import { crumbsOfError, failureOf } from './error-link.ts'

/**
 * A person sees the digest in place of a server error's message. Numbers (React's hash) and opaque ids of frameworks
 * are valid digests. Words are not, nor are digests that Next.js uses for control flow (redirects, not-found pages).
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

/** After a separator, any id; after a space, only a number: "digest sha256 differs" names no digest. */
const inText = /\b(?:[dD]igest|DIGEST)(?:["']?\s?[:=]\s?["']?([A-Za-z0-9_@;-]{3,64})|\s["']?(\d{3,20})\b)/
/** The spellings that people and programs use. No other spelling counts. */
const word = /[dD]igest|DIGEST/

/** A digest that a text names: `digest: '123'`, `Digest 123`. Searches only the first 8192 characters. */
export function digestInText(text: string | undefined): string | undefined {
  if (!text || !word.test(text)) return undefined
  const found = inText.exec(text.slice(0, 8192))
  return asDigest(found?.[1] ?? found?.[2])
}

/** Digests kept per event. An error screen shows a single digest. */
const digestsMax = 20

/**
 * Finds every digest in the event and where it was. The event's own fields and tags are sure. A text, or a value deep
 * in an object, can quote another digest. A breadcrumb can belong to another error of the same moment. The first
 * digest, which is the surest, is the event's digest.
 */
export function digest({ event, sent }: Draft): void {
  if (!sent || mayName(sent.text)) {
    const all = [
      ...fromTags(event),
      ...fromContexts(event),
      ...fromExceptions(event),
      ...fromData(event.extra, 'extra', 3, true),
      ...fromBreadcrumbs(event),
      ...fromMessage(event),
    ]
    const unique = withoutRepeats(all)
    const [first] = unique
    if (first) {
      event.findings.digest = { value: first.value, found: first.found }
      event.findings.digests = unique
    }
  }
  const failure = failureOf(event)
  if (failure) event.findings.failure = failure
}

/** Each digest once, with its surest place. Sure digests come first, the others keep their order. */
function withoutRepeats(all: readonly Found[]): Found[] {
  const byValue = new Map<string, Found>()
  for (const entry of [...all.filter(({ sure }) => sure), ...all.filter(({ sure }) => !sure)])
    if (!byValue.has(entry.value) && byValue.size < digestsMax) byValue.set(entry.value, entry)
  return [...byValue.values()]
}

/** Whether a payload's text can name a digest. The check costs a tenth of reading each breadcrumb. */
const mayName = (text: string): boolean => text.includes('igest') || text.includes('IGEST') || text.includes('\\u')

type Found = NonNullable<Findings['digests']>[number]

const at = (value: string | undefined, found: string, sure = false): Found[] => (value ? [{ value, found, sure }] : [])

function fromTags(event: NormalEvent): Found[] {
  return event.tags.flatMap(([key, value]) =>
    /^(?:\w{1,20}[._])?(?:[dD]igest|DIGEST)$/.test(key) ? at(asDigest(value), `tags.${key}`, true) : [],
  )
}

const fromContexts = (event: NormalEvent): Found[] =>
  Object.keys(event.contexts).flatMap((name) => fromData(event.contexts[name], `contexts.${name}`, 3, true))

/** Finds `digest` in the object or in nested objects down to `levels`. It is sure only in the object itself. */
function fromData(value: Json | undefined, path: string, levels: number, sure = false): Found[] {
  const loose = object(value)
  if (!loose) return []
  const found = at(asDigest(own(loose, 'digest')), `${path}.digest`, sure)
  if (levels <= 1) return found
  for (const key of Object.keys(loose).slice(0, 100)) {
    const inner = loose[key]
    if (typeof inner === 'object' && inner !== null)
      found.push(...fromData(inner as Json, `${path}.${key}`, levels - 1))
  }
  return found
}

function fromExceptions(event: NormalEvent): Found[] {
  const list = event.exception?.values ?? []
  return list
    .flatMap((exception, i) => [
      ...at(digestInText(exception.value), `exception.values.${i}.value`),
      ...fromData(exception.mechanism?.meta, `exception.values.${i}.mechanism.meta`, 2, true),
      ...fromData(exception.mechanism?.data, `exception.values.${i}.mechanism.data`, 2, true),
    ])
    .reverse()
}

/** Digests read from one breadcrumb. A breadcrumb belongs to one error and mostly names one digest. */
const crumbDigestsMax = 20

/** The newest breadcrumb comes first, because it most likely belongs to this error. */
function fromBreadcrumbs(event: NormalEvent): Found[] {
  const list = event.breadcrumbs?.values ?? []
  const all = list.flatMap((crumb, i) => fromBreadcrumb(crumb, `breadcrumbs.values.${i}`)).reverse()
  // A digest next to the error's own message belongs to this error, whatever else was printed at that moment.
  const isOwn = crumbsOfError(event)
  const parts = Map.groupBy(all, ({ found }) => isOwn(found))
  return [...(parts.get(true) ?? []), ...(parts.get(false) ?? [])]
}

/** Keeps the last ones: they come from the text, which says more than deep values of the data. */
const fromBreadcrumb = (crumb: NormalBreadcrumb, path: string): Found[] =>
  [
    ...fromData(crumb.data, `${path}.data`, 3),
    ...fromArguments(crumb.data?.['arguments'], `${path}.data.arguments`),
    ...at(digestInText(crumb.message), `${path}.message`),
  ].slice(-crumbDigestsMax)

/** The arguments of console.error: objects with a digest, or texts that name a digest. */
function fromArguments(value: Json | undefined, path: string): Found[] {
  if (!Array.isArray(value)) return []
  return value
    .slice(0, 20)
    .flatMap((entry, i) =>
      typeof entry === 'string' ? at(digestInText(entry), `${path}.${i}`) : fromData(entry, `${path}.${i}`, 2),
    )
}

function fromMessage(event: NormalEvent): Found[] {
  return at(digestInText(event.logentry?.formatted), 'logentry.formatted')
}
