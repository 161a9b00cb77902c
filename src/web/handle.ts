import type { App } from '../processes/parts.ts'
import 'server-only'

export type { App }

/**
 * The only access of Next to the rest of the process. Each of Next's bundles has its own module instances, but
 * globalThis exists once.
 * @throws if process app has not put its parts there (in the build, or if Next was started alone).
 */
export function app(): App {
  const found = (globalThis as { [key: symbol]: App | undefined })[Symbol.for('mishap.app')]
  if (!found) throw new Error('The screens run only inside the process app. Start Mishap with npm start.')
  return found
}
