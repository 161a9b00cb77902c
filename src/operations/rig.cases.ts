import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Actor } from '../auth/auth.ts'
import { createSeal } from '../auth/seal.ts'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { LiveChange } from '../contract/live.ts'
import { nowMs, openTestMeta, withProject } from '../store/meta/fixture.cases.ts'

/** A person with a login session. */
export const sessionOf = (id: string): Actor => ({
  kind: 'session',
  person: { id, name: id, email: `${id}@example.test` },
})

/**
 * The dependencies of operations. Each `fresh` has its own meta store: organization 1 `acme` of the owner `ann`, with
 * project 1 `web` and key 1. `announced` and `published` record the calls to the screens and to ingest.
 */
export function operationRig() {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-operations-'))
  const closers: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const close of closers) await close()
    rmSync(folder, { recursive: true, force: true })
  })
  return async function fresh() {
    const clock = testClock(nowMs)
    const meta = await withProject(await openTestMeta(join(folder, `${closers.length}.sqlite`), { clock }))
    closers.push(meta.close)
    const announced: LiveChange[] = []
    const published: number[] = []
    return {
      folder: join(folder, String(closers.length)),
      clock,
      meta,
      announced,
      published,
      seal: createSeal('x'.repeat(40)),
      ann: sessionOf('ann'),
      live: { publish: (_organizationId: number, change: LiveChange) => void announced.push(change) },
      publishKeys: async () => void published.push((await meta.projects.keySnapshot()).version),
    }
  }
}

/** Returns code and fields of the error that `work` throws, or `done` when it succeeds. */
export async function endOf(work: () => Promise<unknown>): Promise<[code: string, fields: string[]]> {
  try {
    await work()
    return ['done', []]
  } catch (error) {
    if (!(error instanceof MishapError)) throw error
    return [error.code, Object.keys(error.fields ?? {}).sort()]
  }
}
