import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { KeySnapshot } from '../store/meta/meta.ts'
import { replaceFile } from './durable.ts'
import { noKeys } from './keys.ts'

const name = 'keys.json'

const snapshotShape = z.object({
  version: z.number(),
  keys: z.record(
    z.string(),
    z.object({
      keyId: z.number(),
      projectId: z.number(),
      organizationId: z.number(),
      active: z.boolean(),
      rateLimit: z.object({ count: z.number(), windowS: z.number() }).exactOptional(),
      allowedOrigins: z.array(z.string()),
    }),
  ),
})

/** Stores the keys in the folder, so that ingest can start before the app process answers. Throws on write errors. */
export function writeKeyFile(folder: string, snapshot: KeySnapshot): void {
  replaceFile(folder, name, JSON.stringify(snapshot))
}

/** Returns the last stored keys, or no keys if the file is missing or broken. */
export function readKeyFile(folder: string): KeySnapshot {
  try {
    return snapshotShape.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))
  } catch {
    return noKeys
  }
}
