import type { Severity } from '../../ui/severity.tsx'

/** Levels as facets list them, the worst first. */
export const levelsByRank = ['fatal', 'error', 'warning', 'info', 'debug', 'trace'] as const

/** Levels of a bar from its foot up: errors are where the eye compares best. */
export const stackedLevels = levelsByRank

/** The shape of a level. `trace` has that of `debug`, and an unknown level none. */
export function shapeOfLevel(level: string): Severity | undefined {
  const known = levelsByRank.find((name) => name === level)
  return known === 'trace' ? 'debug' : known
}
