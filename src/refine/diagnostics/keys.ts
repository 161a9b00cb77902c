import type { Signs } from '../../domain/diagnostics.ts'
import { noiseFilters, type SignKey } from '../../domain/noise.ts'
import { crawlerOf, isFilteredExtension } from '../filter/rules.ts'

/**
 * What is counted of an event's signs; undefined for none. By what is stored of them alone, as a recovery and mapping again
 * have nothing else.
 */
export function signKeysOf({ noise, skew }: Signs = {}): SignKey[] | undefined {
  const keys: SignKey[] = []
  if (noise) keys.push(noise.kind)
  if (noise && Object.hasOwn(noiseFilters, noise.kind) && !isFiltered(noise)) keys.push('unfiltered')
  if (skew) keys.push('skew')
  return keys.length > 0 ? keys : undefined
}

/** Whether the inbound filter of the kind goes by the same evidence: a hydration that an extension spoiled passes it. */
function isFiltered({ kind, found }: NonNullable<Signs['noise']>): boolean {
  if (kind === 'bot') return crawlerOf(found) !== undefined
  return kind === 'extension' ? isFilteredExtension(found) : true
}
