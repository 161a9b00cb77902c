import type { Diagnostics } from '../../domain/diagnostics.ts'
import { noiseFilters, type SignKey } from '../../domain/noise.ts'
import { crawlerOf, isFilteredExtension } from '../filter/rules.ts'

/**
 * The counted keys of an event's diagnostics; undefined if there are none. They depend only on stored data, because
 * recovery and reprocessing have nothing else.
 */
export function diagnosticKeysOf({ noise, skew }: Diagnostics = {}): SignKey[] | undefined {
  const keys: SignKey[] = []
  if (noise) keys.push(noise.kind)
  if (noise && Object.hasOwn(noiseFilters, noise.kind) && !isFiltered(noise)) keys.push('unfiltered')
  if (skew) keys.push('skew')
  return keys.length > 0 ? keys : undefined
}

/** Whether the kind's inbound filter uses the same evidence: it does not for hydration broken by an extension. */
function isFiltered({ kind, found }: NonNullable<Diagnostics['noise']>): boolean {
  if (kind === 'bot') return crawlerOf(found) !== undefined
  return kind === 'extension' ? isFilteredExtension(found) : true
}
