import { MishapError } from '../../base/errors.ts'
import type { OutcomeCount } from '../../base/outcome.ts'
import type { BatchEffects, EventEffect } from './meta.ts'
import type { MetaStore } from './meta-store.ts'

export const nowMs = 1_795_000_000_000

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
