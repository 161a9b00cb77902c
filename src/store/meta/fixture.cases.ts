import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testClock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import type { OutcomeCount } from '../../base/outcome.ts'
import type { BatchEffects, EventEffect } from './meta.ts'
import type { MetaStore } from './meta-store.ts'
import { openSqliteMeta } from './sqlite.ts'

export const nowMs = 1_795_000_000_000

const template: { bytes?: Promise<Buffer> } = {}

/** Returns the file of an empty store. */
async function migratedBytes(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-migrated-'))
  const file = join(folder, 'meta.sqlite')
  await (await openSqliteMeta(file, { clock: testClock(nowMs), readers: 0 })).close()
  const bytes = readFileSync(file)
  rmSync(folder, { recursive: true, force: true })
  return bytes
}

/**
 * Opens a file as `openSqliteMeta` does. A new file begins as a copy of one that this process migrated once: all
 * migrations take 0.1 s of processor time, and over a thousand tests need an empty store.
 */
export async function openTestMeta(file: string, options: Parameters<typeof openSqliteMeta>[1]): Promise<MetaStore> {
  template.bytes ??= migratedBytes()
  const bytes = await template.bytes
  if (!existsSync(file)) writeFileSync(file, bytes, { mode: 0o600 })
  return openSqliteMeta(file, options)
}

/** Adds organization 1 (owner `ann`), project 1 `web` and key 1 to a store. */
export async function withProject(meta: MetaStore): Promise<MetaStore> {
  const { id: organizationId } = await meta.organizations.createOrganization({
    slug: 'acme',
    name: 'Acme',
    ownerUserId: 'ann',
  })
  const { id: projectId } = await meta.projects.createProject({
    organizationId,
    slug: 'web',
    name: 'Web',
    platform: 'javascript',
  })
  await meta.projects.createKey(projectId, 'Default')
  return meta
}

export const hash = (number: number) => number.toString(16).padStart(16, '0')

export function effect(change: Partial<EventEffect> = {}): EventEffect {
  return {
    projectId: 1,
    keyId: 1,
    jpos: 1,
    eventId: 'a'.repeat(32),
    hashes: [hash(1)],
    title: 'TypeError: x is not a function',
    culprit: 'app/page',
    kind: 'error',
    level: 'error',
    platform: 'javascript',
    logger: '',
    metadata: { type: 'TypeError', value: 'x is not a function' },
    timestampMs: nowMs,
    receivedMs: nowMs + 5,
    release: '',
    environment: 'production',
    digest: '',
    unhandled: false,
    ...change,
  }
}

export const stored: OutcomeCount = {
  projectId: 1,
  keyId: 1,
  category: 'error',
  outcome: 'stored',
  reason: 'ok',
  itemType: 'event',
  quantity: 1,
  bytes: 100,
}

/** Opens and commits the next batch. */
export async function commit(meta: MetaStore, effects: Partial<BatchEffects>, atMs = nowMs) {
  const from = await meta.batches.cursor('events')
  return meta.batches.commitBatch(
    await meta.batches.openBatch(from, from + 100),
    { events: [], attachments: [], outcomes: [], dead: [], ...effects },
    atMs,
  )
}

/** Returns the code of the error that `work` throws. */
export const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work()
  } catch (error) {
    return error instanceof MishapError ? error.code : String(error)
  }
  return 'nothing thrown'
}

export const stateOf = async (meta: MetaStore, id = 1) => {
  const issue = await meta.issues.issueById(id)
  return [issue?.status, issue?.substatus]
}
