import { hash } from 'node:crypto'
import type { GroupingVariant, NormalEvent, NormalFrame } from '../../protocol/event.ts'
import { crashFrame } from '../error/describe.ts'
import type { Draft } from '../step.ts'
import { mainException } from './chain.ts'
import { isDefault, resolveEntry } from './v1/variables.ts'
import { defaultVariants, type Plain } from './v1/variants.ts'

/** Version of the grouping; a change of any value that is hashed is a new folder and a new number. */
export const groupingVersion = 1

/** 32 hex of the MD5 over the UTF-8 of all values in order, without separators. */
export function md5(values: readonly string[]): string {
  return hash('md5', values.join(''), 'hex')
}

/** The stored hash: the first 64 bits of the MD5 as 16 hex. */
export const storedHash = (values: readonly string[]): string => md5(values).slice(0, 16)

/** Fills `findings.grouping`: every variant, those that count with their hash. At least one counts. */
export function fingerprint({ event }: Draft): void {
  event.findings.grouping = { version: groupingVersion, variants: variantsOf(event).map(withHash) }
}

/** Stored hashes of an event, the first stands for its issue. Never empty for an event that went through `fingerprint`. */
export function hashesOf(event: NormalEvent): string[] {
  const hashes = event.findings.grouping.variants.flatMap((variant) =>
    variant.contributes && variant.hash ? [variant.hash] : [],
  )
  return [...new Set(hashes)]
}

type Unhashed = Plain & { hash?: string }

function withHash(variant: Unhashed): GroupingVariant {
  const { name, contributes, why, values } = variant
  // 40 values of 200 characters explain a grouping; the hash is over all of them.
  const shown = values.slice(-40).map((value) => (value.length > 200 ? value.slice(0, 200).toWellFormed() : value))
  return { name, contributes, why, values: shown, ...(contributes ? { hash: variant.hash ?? storedHash(values) } : {}) }
}

const leftOut = (variants: Plain[], why: string): Plain[] =>
  variants.map((one) => (one.contributes ? { ...one, contributes: false, why } : one))

function variantsOf(event: NormalEvent): Unhashed[] {
  if (event.checksum) {
    const given = /^[0-9a-f]{32}$/i.test(event.checksum)
      ? event.checksum.toLowerCase().slice(0, 16)
      : storedHash([event.checksum])
    return [
      {
        name: 'checksum',
        contributes: true,
        why: 'checksum sent by the client',
        values: [event.checksum],
        hash: given,
      },
    ]
  }
  const defaults = defaultVariants(event)
  const entries = event.fingerprint ?? []
  const crash = crashOf(event)
  if (!entries.length || entries.every(isDefault)) {
    const builtIn = builtInFingerprint(event)
    if (!builtIn) return defaults
    return [
      { name: 'built_in_fingerprint', contributes: true, ...builtIn },
      ...leftOut(defaults, 'a built-in fingerprint takes precedence'),
    ]
  }
  if (!entries.some(isDefault)) {
    const values = entries.map((entry) => resolveEntry(entry, event, crash))
    return [
      { name: 'custom_fingerprint', contributes: true, why: 'fingerprint sent by the client', values },
      ...leftOut(defaults, 'the fingerprint sent by the client takes precedence'),
    ]
  }
  return defaults.map((variant): Plain => {
    if (!variant.contributes) return variant
    const values = entries.flatMap((entry) => (isDefault(entry) ? variant.values : [resolveEntry(entry, event, crash)]))
    return {
      name: 'hybrid',
      contributes: true,
      why: `fingerprint sent by the client with ${variant.name}: ${variant.why}`,
      values,
    }
  })
}

function crashOf(event: NormalEvent): NormalFrame | undefined {
  const main = event.exception && mainException(event.exception.values, event.sdk?.name ?? '')
  const thread = event.threads?.values.find((one) => one.crashed) ?? event.threads?.values.find((one) => one.current)
  return crashFrame(main?.stacktrace ?? thread?.stacktrace ?? event.stacktrace)
}

const hydrationTexts = [
  'Hydration failed because the initial UI does not match what was rendered on the server.',
  'Text content does not match server-rendered HTML.',
  'There was an error while hydrating this Suspense boundary.',
  'There was an error while hydrating. Because the error happened outside of a Suspense boundary',
  'The server could not finish this Suspense boundary',
]

/** Errors of JavaScript whose stacks say nothing about their cause (protocol.md 4.5). */
function builtInFingerprint(event: NormalEvent): { why: string; values: string[] } | undefined {
  if (event.platform !== 'javascript' && event.platform !== 'node') return undefined
  const list = event.exception?.values ?? []
  if (list.some((one) => one.type === 'ChunkLoadError' || one.value?.startsWith('ChunkLoadError')))
    return { why: 'a chunk of the application could not be loaded', values: ['chunkloaderror'] }
  const transaction = event.transaction ?? event.tags.find(([key]) => key === 'transaction')?.[1]
  if (transaction && list.some((one) => hydrationTexts.some((text) => one.value?.includes(text)))) {
    return { why: 'hydration failed; one issue for each transaction', values: ['hydrationerror', transaction] }
  }
  return undefined
}
