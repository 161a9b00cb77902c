import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { silent } from '../base/observe.ts'
import { openTestMeta } from '../store/meta/fixture.cases.ts'
import type { AuthOptions } from './better.ts'
import { createAuth } from './create.ts'

export const url = 'http://localhost:9000'
export const secret = 'b7Qm2Zx9Lr4Tn8Vw1Yc6Hd3Kf5Pj0SgAeRuIoXtNq'
export const good = { name: 'Ann', email: 'Ann@Example.com', password: 'correct horse 9' }

/** Real hashing takes over 0.1 s per password. One test below uses it. */
export const quick = {
  hash: async (password: string) => createHash('sha256').update(password).digest('hex'),
  verify: async ({ hash, password }: { hash: string; password: string }) =>
    hash === createHash('sha256').update(password).digest('hex'),
}

/** Creates auth with its own stores per `fresh`, in a folder that is deleted after the test file. */
export function rigForFile() {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-auth-'))
  const closers: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const close of closers) await close()
    rmSync(folder, { recursive: true, force: true })
  })
  const fresh = async (options: Partial<AuthOptions> = { hashing: quick }) => {
    const file = join(folder, `${closers.length}.sqlite`)
    const clock = testClock()
    const meta = await openTestMeta(file, { clock })
    const auth = await createAuth({ meta, secret, url, clock, observe: silent, ...options })
    closers.push(meta.close)
    return { meta, auth, clock, file }
  }
  return { fresh }
}

export const failure = async (work: Promise<unknown>): Promise<MishapError> =>
  work.then(
    () => Promise.reject(new Error('nothing thrown')),
    (error: unknown) => (error instanceof MishapError ? error : Promise.reject(error)),
  )

export const cookieOf = (cookies: string[]) => cookies.map((cookie) => cookie.split(';')[0]).join('; ')
export const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  new Request(`${url}/api/auth${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, ...headers },
    body: JSON.stringify(body),
  })
