import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { replaceFile } from './durable.ts'

const name = 'secrets.json'
const key32 = z.string().refine((text) => Buffer.from(text, 'base64').length === 32)
const secretsShape = z.object({ authSecret: z.string().min(32), actionsKey: key32 })

/** `authSecret` signs cookies. `actionsKey` (32 bytes, base64) encrypts the closures of Next server actions. */
type Secrets = z.infer<typeof secretsShape>

/**
 * Returns the secrets of the instance. The first call creates them and stores them in the folder (mode 0600). Throws if
 * the file exists but is broken: new secrets would silently end all login sessions.
 */
export function loadSecrets(folder: string): Secrets {
  let text: string
  try {
    text = readFileSync(join(folder, name), 'utf8')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    const secrets = {
      authSecret: randomBytes(48).toString('base64url'),
      actionsKey: randomBytes(32).toString('base64'),
    }
    replaceFile(folder, name, JSON.stringify(secrets))
    return secrets
  }
  return secretsShape.parse(JSON.parse(text))
}
