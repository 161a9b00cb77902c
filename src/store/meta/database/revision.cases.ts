import { expect, test } from 'vitest'
import { MishapError } from '../../../base/errors.ts'
import { codeOf, commit, effect, hash, nowMs } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'

const currentOf = (work: () => unknown): Record<string, unknown> | undefined => {
  try {
    work()
  } catch (error) {
    return error instanceof MishapError && error.code === 'CONFLICT' ? error.current : undefined
  }
  return undefined
}

/** Cases of old slugs, settings, revisions and seen issues. */
export function revisionCases(fresh: () => MetaStore): void {
  staleCases(fresh)
  slugCases(fresh)
  scrubCases(fresh)
  assignCases(fresh)
  lookCases(fresh)
}

function staleCases(fresh: () => MetaStore): void {
  type Change = (meta: MetaStore, rev?: number) => { rev: number }
  const things: [string, Change, Change][] = [
    [
      'project',
      (meta, rev) => meta.updateProject(1, { name: 'Shop' }, { userId: 'bob', rev }),
      (meta, rev) => meta.updateProject(1, { platform: 'node' }, { userId: 'ann', rev }),
    ],
    [
      'key',
      (meta, rev) => meta.updateKey(1, { active: false }, { userId: 'bob', rev }),
      (meta, rev) => meta.updateKey(1, { label: 'Other' }, { userId: 'ann', rev }),
    ],
    [
      'issue',
      (meta, rev) => meta.updateIssue(1, { status: 'resolved' }, 'bob', nowMs, rev).issue,
      (meta, rev) => meta.updateIssue(1, { assigneeUserId: 'ann' }, 'ann', nowMs, rev).issue,
    ],
  ]
  test.each(things)('%s: a change made for an older revision is refused, one without a revision is not', (...item) => {
    const [, change, other] = item
    const meta = fresh()
    commit(meta, { events: [effect()] })
    expect(change(meta, 0).rev).toBe(1)
    // This user has no account, so only the revision and the time are known.
    expect(currentOf(() => other(meta, 0))).toEqual({
      revision: 1,
      changedBy: null,
      changedAt: new Date(nowMs).toISOString(),
    })
    expect(other(meta, 1).rev).toBe(2)
    // The same change again has no effect, for any expected revision.
    expect(other(meta, 2).rev).toBe(2)
    expect(change(meta).rev).toBe(2)
  })

  test('a comment and a new event are no new revision; a regression is', () => {
    const meta = fresh()
    commit(meta, { events: [effect()] })
    meta.addComment(1, 'bob', 'I look at it', nowMs)
    commit(meta, { events: [effect()] })
    expect(meta.updateIssue(1, { status: 'resolved' }, 'ann', nowMs, 0).issue.rev).toBe(1)
    commit(meta, { events: [effect({ timestampMs: nowMs + 60_000 })] })
    expect(currentOf(() => meta.updateIssue(1, { status: 'ignored' }, 'ann', nowMs, 1))).toMatchObject({ revision: 2 })
  })
}

function slugCases(fresh: () => MetaStore): void {
  const add = (meta: MetaStore, slug: string, organizationId = 1) =>
    meta.createProject({ organizationId, slug, name: 'Other', platform: null }).id

  test('a renamed project is found by every slug it had, within its organization', () => {
    const meta = fresh()
    meta.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'eve' })
    meta.updateProject(1, { slug: 'shop' })
    meta.updateProject(1, { slug: 'store' })
    const old = (slug: string, organizationId = 1) => meta.projectByOldSlug(organizationId, slug)?.slug
    expect([old('web'), old('shop'), old('store'), old('nope'), old('web', 2)]).toEqual([
      'store',
      'store',
      undefined,
      undefined,
      undefined,
    ])
  })

  test('back to an old slug: it is no old one any more', () => {
    const meta = fresh()
    meta.updateProject(1, { slug: 'shop' })
    meta.updateProject(1, { slug: 'web' })
    expect([meta.projectByOldSlug(1, 'web'), meta.projectByOldSlug(1, 'shop')?.id]).toEqual([undefined, 1])
  })

  test('a slug that another project takes leads there, made or renamed', () => {
    const meta = fresh()
    meta.updateProject(1, { slug: 'shop' })
    const second = add(meta, 'web')
    expect([meta.projectBySlug(1, 'web')?.id, meta.projectByOldSlug(1, 'web')]).toEqual([second, undefined])
    meta.updateProject(second, { slug: 'api' })
    meta.updateProject(1, { slug: 'last' })
    meta.updateProject(second, { slug: 'shop' })
    expect([meta.projectByOldSlug(1, 'web')?.id, meta.projectByOldSlug(1, 'shop')]).toEqual([second, undefined])
    // A slug that stays taken is refused, and nothing changes.
    expect(codeOf(() => meta.updateProject(1, { slug: 'shop', name: 'New' }))).toBe('CONFLICT')
    expect(meta.projectById(1)).toMatchObject({ slug: 'last', name: 'Web' })
  })
}

function scrubCases(fresh: () => MetaStore): void {
  test('scrubbing: what people set, and what refine makes of it', () => {
    const meta = fresh()
    expect(meta.scrubSettings(1)).toEqual({
      scrub: true,
      scrubDefaults: true,
      scrubIpAddresses: false,
      sensitiveFields: [],
      safeFields: [],
    })
    const set = { scrubDefaults: false, scrubIpAddresses: true, sensitiveFields: [' Colour ', 'colour', '', 'Colour'] }
    meta.updateProject(1, { ...set, safeFields: ['token_kind'] })
    const wanted = {
      scrubDefaults: false,
      scrubIpAddresses: true,
      sensitiveFields: ['Colour', 'colour'],
      safeFields: ['token_kind'],
    }
    expect(meta.scrubSettings(1)).toEqual({ scrub: true, ...wanted })
    expect(meta.projectSettings(1)).toEqual({
      projectId: 1,
      organizationId: 1,
      ...wanted,
      grouping: meta.groupingSettings(1),
    })
    meta.updateProject(1, { scrub: false, scrubDefaults: true })
    expect(meta.scrubSettings(1)).toEqual({ scrub: false, ...wanted, scrubDefaults: true })
    expect(meta.projectSettings(1)).toMatchObject({
      scrubDefaults: false,
      scrubIpAddresses: true,
      sensitiveFields: [],
    })
    expect(codeOf(() => meta.scrubSettings(9))).toBe('NOT_FOUND')
  })

  test.each([
    [{ allowedOrigins: ['shop.example', 'https://x/y'] }],
    [{ sensitiveFields: ['a\u0000b'] }],
    [{ safeFields: ['x'.repeat(201)] }],
    [{ safeFields: Array.from({ length: 201 }, (_one, at) => `f${at}`) }],
  ])('%.60j is refused and changes nothing', (change) => {
    const meta = fresh()
    expect(codeOf(() => meta.updateProject(1, { name: 'New', ...change }))).toBe('VALIDATION')
    expect(meta.projectById(1)).toMatchObject({ name: 'Web', allowedOrigins: [], rev: 0 })
  })
}

function assignCases(fresh: () => MetaStore): void {
  test('each assignment is an activity that knows what was before; status and assignee at once are two', () => {
    const meta = fresh()
    commit(meta, { events: [effect()] })
    meta.updateIssue(1, { assigneeUserId: 'bob' }, 'ann', nowMs)
    meta.updateIssue(1, { assigneeUserId: 'bob' }, 'ann', nowMs)
    meta.updateIssue(1, { assigneeUserId: null, status: 'resolved' }, 'eve', nowMs)
    expect(meta.activityOf(1).map(({ type, userId, data }) => [type, userId, data])).toEqual([
      ['first_seen', null, expect.anything()],
      ['assigned', 'ann', { before: { assigneeUserId: null }, assignee: 'bob' }],
      ['set_resolved', 'eve', expect.anything()],
      ['unassigned', 'eve', { before: { assigneeUserId: 'bob' }, assignee: null }],
    ])
  })
}

function lookCases(fresh: () => MetaStore): void {
  test('seen is each person’s own, and over when the issue comes back', () => {
    const meta = fresh()
    commit(meta, { events: [effect({ hashes: [hash(1)] }), effect({ hashes: [hash(2)] })] })
    meta.setUserFlags([1], 'ann', { hasSeen: true }, nowMs)
    meta.setUserFlags([1], 'ann', { hasSeen: true }, nowMs + 1)
    meta.setUserFlags([2], 'bob', { hasSeen: true }, nowMs)
    const seen = (userId: string) => [...meta.seenBy(userId, [1, 2, 99])]
    expect([seen('ann'), seen('bob'), seen('eve'), [...meta.seenBy('ann', [])]]).toEqual([[1], [2], [], []])
    meta.updateIssue(1, { status: 'resolved' }, 'ann', nowMs + 2)
    expect(seen('ann')).toEqual([1])
    commit(meta, { events: [effect({ hashes: [hash(1)], timestampMs: nowMs + 60_000 })] }, nowMs + 60_000)
    expect(seen('ann')).toEqual([])
    meta.setUserFlags([1], 'ann', { hasSeen: true }, nowMs + 60_001)
    expect(seen('ann')).toEqual([1])
    meta.setUserFlags([1], 'ann', { hasSeen: false }, nowMs)
    expect(seen('ann')).toEqual([])
  })
}
