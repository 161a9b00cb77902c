import type { Findings, NormalBreadcrumb, NormalEvent } from '../../../domain/event.ts'
import type { Json } from '../../../wire/json.ts'
import type { Draft } from '../../pipeline/draft.ts'
import { object, own, scalar } from '../../pipeline/value.ts'
import { failureOf, ownCrumbs } from './error-link.ts'

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

/** Different digests of one event that are kept; an error screen shows one digest. */
const digestsMax = 20

/**
 * Takes every digest that the event names, and says where it was. Its own fields and tags are sure. A text, or a value
 * deep in an object, may quote another digest. A breadcrumb may belong to another error of the same moment. The first
 * digest, the surest, is the event's digest.
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
    const kept = withoutRepeats(all)
    const [first] = kept
    if (first) {
      event.findings.digest = { value: first.value, found: first.found }
      event.findings.digests = kept
    }
  }
  const failure = failureOf(event)
  if (failure) event.findings.failure = failure
}

/** Each digest once, from its surest place; the sure ones first, else in the order of the places. */
function withoutRepeats(all: readonly Found[]): Found[] {
  const kept = new Map<string, Found>()
  for (const entry of [...all.filter(({ sure }) => sure), ...all.filter(({ sure }) => !sure)])
    if (!kept.has(entry.value) && kept.size < digestsMax) kept.set(entry.value, entry)
  return [...kept.values()]
}

/** Whether a payload's text can name a digest: looking there costs a tenth of looking at each breadcrumb. */
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

/** `digest` on the object itself or on one of its objects, to the given number of levels; sure on itself only. */
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

/** Digests of one breadcrumb that are looked at: it belongs to one error, and mostly names one digest. */
const crumbDigestsMax = 20

/** The newest breadcrumb first: it is the likeliest to be of this failure. */
function fromBreadcrumbs(event: NormalEvent): Found[] {
  const list = event.breadcrumbs?.values ?? []
  const all = list.flatMap((crumb, i) => fromBreadcrumb(crumb, `breadcrumbs.values.${i}`)).reverse()
  // Beside its own message a digest is this failure's, whatever else was printed at the same moment.
  const isOwn = ownCrumbs(event)
  const parts = Map.groupBy(all, ({ found }) => isOwn(found))
  return [...(parts.get(true) ?? []), ...(parts.get(false) ?? [])]
}

/** Its last ones stand in its text, which tells more than the depths of its data. */
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
