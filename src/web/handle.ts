import type { App } from '../processes/parts.ts'
import 'server-only'

export type { App }

/**
 * The only door from Next to the rest of the process: a module has an instance for each of Next's bundles, and
 * globalThis exists once.
 * Throws when process app has not put its parts there (the build, or Next started by itself).
 */
export function app(): App {
  const found = (globalThis as { [key: symbol]: App | undefined })[Symbol.for('mishap.app')]
  if (!found) throw new Error('The screens run inside process app only; start Mishap with npm start.')
  return found
}
