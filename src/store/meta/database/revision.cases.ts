import { expect, test } from 'vitest'
import { MishapError } from '../../../base/errors.ts'
import { codeOf, commit, effect, hash, nowMs } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'

/** Returns what a refused change reports as the current state. */
const currentOf = async (work: () => Promise<unknown>): Promise<Record<string, unknown> | undefined> => {
  try {
    await work()
  } catch (error) {
    return error instanceof MishapError && error.code === 'CONFLICT' ? error.current : undefined
  }
  return undefined
}

/** Cases of old slugs, settings, revisions and seen issues. */
export function revisionCases(fresh: () => Promise<MetaStore>): void {
  staleCases(fresh)
  slugCases(fresh)
  scrubCases(fresh)
  assignCases(fresh)
  lookCases(fresh)
}

function staleCases(fresh: () => Promise<MetaStore>): void {
  type Change = (meta: MetaStore, rev?: number) => Promise<{ rev: number }>
  const things: [string, Change, Change][] = [
    [
      'project',
      (meta, rev) => meta.projects.updateProject(1, { name: 'Shop' }, { userId: 'bob', rev }),
      (meta, rev) => meta.projects.updateProject(1, { platform: 'node' }, { userId: 'ann', rev }),
    ],
    [
      'key',
      (meta, rev) => meta.projects.updateKey(1, { active: false }, { userId: 'bob', rev }),
      (meta, rev) => meta.projects.updateKey(1, { label: 'Other' }, { userId: 'ann', rev }),
    ],
    [
      'issue',
      async (meta, rev) => (await meta.issues.updateIssue(1, { status: 'resolved' }, 'bob', nowMs, rev)).issue,
      async (meta, rev) => (await meta.issues.updateIssue(1, { assigneeUserId: 'ann' }, 'ann', nowMs, rev)).issue,
    ],
  ]
  test.each(things)(
    '%s: a change made for an older revision is refused, one without a revision is not',
    async (...item) => {
      const [, change, other] = item
      const meta = await fresh()
      await commit(meta, { events: [effect()] })
      expect((await change(meta, 0)).rev).toBe(1)
      // This user has no account, so only the revision and the time are known.
      expect(await currentOf(() => other(meta, 0))).toEqual({
        revision: 1,
        changedBy: null,
        changedAt: new Date(nowMs).toISOString(),
      })
      expect((await other(meta, 1)).rev).toBe(2)
      // The same change again has no effect, for any expected revision.
      expect((await other(meta, 2)).rev).toBe(2)
      expect((await change(meta)).rev).toBe(2)
    },
  )

  test('a comment and a new event are no new revision; a regression is', async () => {
    const meta = await fresh()
    await commit(meta, { events: [effect()] })
    await meta.issues.addComment(1, 'bob', 'I look at it', nowMs)
    await commit(meta, { events: [effect()] })
    expect((await meta.issues.updateIssue(1, { status: 'resolved' }, 'ann', nowMs, 0)).issue.rev).toBe(1)
    await commit(meta, { events: [effect({ timestampMs: nowMs + 60_000 })] })
    expect(await currentOf(() => meta.issues.updateIssue(1, { status: 'ignored' }, 'ann', nowMs, 1))).toMatchObject({
      revision: 2,
    })
  })
}

function slugCases(fresh: () => Promise<MetaStore>): void {
  const add = async (meta: MetaStore, slug: string, organizationId = 1) =>
    (await meta.projects.createProject({ organizationId, slug, name: 'Other', platform: null })).id

  test('a renamed project is found by every slug it had, within its organization', async () => {
    const meta = await fresh()
    await meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'eve' })
    await meta.projects.updateProject(1, { slug: 'shop' })
    await meta.projects.updateProject(1, { slug: 'store' })
    const old = async (slug: string, organizationId = 1) =>
      (await meta.projects.projectByOldSlug(organizationId, slug))?.slug
    expect([await old('web'), await old('shop'), await old('store'), await old('nope'), await old('web', 2)]).toEqual([
      'store',
      'store',
      undefined,
      undefined,
      undefined,
    ])
  })

  test('back to an old slug: it is no old one any more', async () => {
    const meta = await fresh()
    await meta.projects.updateProject(1, { slug: 'shop' })
    await meta.projects.updateProject(1, { slug: 'web' })
    expect([
      await meta.projects.projectByOldSlug(1, 'web'),
      (await meta.projects.projectByOldSlug(1, 'shop'))?.id,
    ]).toEqual([undefined, 1])
  })

  test('a slug that another project takes leads there, made or renamed', async () => {
    const meta = await fresh()
    await meta.projects.updateProject(1, { slug: 'shop' })
    const second = await add(meta, 'web')
    expect([(await meta.projects.projectBySlug(1, 'web'))?.id, await meta.projects.projectByOldSlug(1, 'web')]).toEqual(
      [second, undefined],
    )
    await meta.projects.updateProject(second, { slug: 'api' })
    await meta.projects.updateProject(1, { slug: 'last' })
    await meta.projects.updateProject(second, { slug: 'shop' })
    expect([
      (await meta.projects.projectByOldSlug(1, 'web'))?.id,
      await meta.projects.projectByOldSlug(1, 'shop'),
    ]).toEqual([second, undefined])
    // A slug that stays taken is refused, and nothing changes.
    expect(await codeOf(() => meta.projects.updateProject(1, { slug: 'shop', name: 'New' }))).toBe('CONFLICT')
    expect(await meta.projects.projectById(1)).toMatchObject({ slug: 'last', name: 'Web' })
  })
}

function scrubCases(fresh: () => Promise<MetaStore>): void {
  test('scrubbing: what people set, and what refine makes of it', async () => {
    const meta = await fresh()
    expect(await meta.projects.scrubSettings(1)).toEqual({
      scrub: true,
      scrubDefaults: true,
      scrubIpAddresses: false,
      sensitiveFields: [],
      safeFields: [],
    })
    const set = { scrubDefaults: false, scrubIpAddresses: true, sensitiveFields: [' Colour ', 'colour', '', 'Colour'] }
    await meta.projects.updateProject(1, { ...set, safeFields: ['token_kind'] })
    const wanted = {
      scrubDefaults: false,
      scrubIpAddresses: true,
      sensitiveFields: ['Colour', 'colour'],
      safeFields: ['token_kind'],
    }
    expect(await meta.projects.scrubSettings(1)).toEqual({ scrub: true, ...wanted })
    expect(await meta.projects.projectSettings(1)).toEqual({
      projectId: 1,
      organizationId: 1,
      ...wanted,
      grouping: await meta.projects.groupingSettings(1),
    })
    await meta.projects.updateProject(1, { scrub: false, scrubDefaults: true })
    expect(await meta.projects.scrubSettings(1)).toEqual({ scrub: false, ...wanted, scrubDefaults: true })
    expect(await meta.projects.projectSettings(1)).toMatchObject({
      scrubDefaults: false,
      scrubIpAddresses: true,
      sensitiveFields: [],
    })
    expect(await codeOf(() => meta.projects.scrubSettings(9))).toBe('NOT_FOUND')
  })

  test.each([
    [{ allowedOrigins: ['shop.example', 'https://x/y'] }],
    [{ sensitiveFields: ['a\u0000b'] }],
    [{ safeFields: ['x'.repeat(201)] }],
    [{ safeFields: Array.from({ length: 201 }, (_one, at) => `f${at}`) }],
  ])('%.60j is refused and changes nothing', async (change) => {
    const meta = await fresh()
    expect(await codeOf(() => meta.projects.updateProject(1, { name: 'New', ...change }))).toBe('VALIDATION')
    expect(await meta.projects.projectById(1)).toMatchObject({ name: 'Web', allowedOrigins: [], rev: 0 })
  })
}

function assignCases(fresh: () => Promise<MetaStore>): void {
  test('each assignment is an activity that knows what was before; status and assignee at once are two', async () => {
    const meta = await fresh()
    await commit(meta, { events: [effect()] })
    await meta.issues.updateIssue(1, { assigneeUserId: 'bob' }, 'ann', nowMs)
    await meta.issues.updateIssue(1, { assigneeUserId: 'bob' }, 'ann', nowMs)
    await meta.issues.updateIssue(1, { assigneeUserId: null, status: 'resolved' }, 'eve', nowMs)
    expect((await meta.issues.activityOf(1)).map(({ type, userId, data }) => [type, userId, data])).toEqual([
      ['first_seen', null, expect.anything()],
      ['assigned', 'ann', { before: { assigneeUserId: null }, assignee: 'bob' }],
      ['set_resolved', 'eve', expect.anything()],
      ['unassigned', 'eve', { before: { assigneeUserId: 'bob' }, assignee: null }],
    ])
  })
}

function lookCases(fresh: () => Promise<MetaStore>): void {
  test('seen is each person’s own, and over when the issue comes back', async () => {
    const meta = await fresh()
    await commit(meta, { events: [effect({ hashes: [hash(1)] }), effect({ hashes: [hash(2)] })] })
    await meta.issues.setUserFlags([1], 'ann', { hasSeen: true }, nowMs)
    await meta.issues.setUserFlags([1], 'ann', { hasSeen: true }, nowMs + 1)
    await meta.issues.setUserFlags([2], 'bob', { hasSeen: true }, nowMs)
    const seen = async (userId: string) => [...(await meta.issues.seenBy(userId, [1, 2, 99]))]
    expect([
      await seen('ann'),
      await seen('bob'),
      await seen('eve'),
      [...(await meta.issues.seenBy('ann', []))],
    ]).toEqual([[1], [2], [], []])
    await meta.issues.updateIssue(1, { status: 'resolved' }, 'ann', nowMs + 2)
    expect(await seen('ann')).toEqual([1])
    await commit(meta, { events: [effect({ hashes: [hash(1)], timestampMs: nowMs + 60_000 })] }, nowMs + 60_000)
    expect(await seen('ann')).toEqual([])
    await meta.issues.setUserFlags([1], 'ann', { hasSeen: true }, nowMs + 60_001)
    expect(await seen('ann')).toEqual([1])
    await meta.issues.setUserFlags([1], 'ann', { hasSeen: false }, nowMs)
    expect(await seen('ann')).toEqual([])
  })
}
