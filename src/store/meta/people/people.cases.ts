import { expect, test } from 'vitest'
import { codeOf, commit, effect, hash, nowMs, stored } from '../fixture.cases.ts'
import type { FeedbackRow } from '../issues/feedback.ts'
import type { MetaStore } from '../meta-store.ts'

const dayMs = 86_400_000
const said = (change: Partial<FeedbackRow> = {}): FeedbackRow => ({
  projectId: 1,
  feedbackId: 'f'.repeat(32),
  eventId: 'a'.repeat(32),
  kind: 'report',
  name: 'Ann',
  email: 'ann@example.test',
  message: 'It broke',
  url: '',
  replayId: '',
  environment: '',
  release: '',
  receivedMs: nowMs,
  ...change,
})
const outcome = { ...stored, category: 'feedback' as const, itemType: 'user_report' }
const attachment = (eventId: string, name: string) => ({
  projectId: 1,
  eventId,
  name,
  type: 'event.attachment',
  contentType: '',
  bytes: 1,
  receivedMs: nowMs,
  blobKey: `attachments/1/${eventId}/${name}`,
})
const quantities = (meta: MetaStore) =>
  meta.outcomesSince({ fromMs: 0 }).map((item) => `${item.itemType} ${item.outcome} ${item.reason} ${item.quantity}`)

/** Cases of feedback, removals and organization settings, for every meta store. */
export function peopleCases(fresh: () => MetaStore): void {
  feedbackCases(fresh)
  removalCases(fresh)
  organizationCases(fresh)
  organizationRemovalCases(fresh)
}

function feedbackCases(fresh: () => MetaStore): void {
  test('feedback is stored once by its id, and counted so', () => {
    const meta = fresh()
    for (let round = 0; round < 2; round++) commit(meta, { feedback: [{ row: said(), outcome }] })
    expect(meta.listFeedback({ projectIds: [1], max: 10 })).toMatchObject([{ message: 'It broke', state: 'new' }])
    expect(quantities(meta).sort()).toEqual(['user_report duplicate same_event_id 1', 'user_report stored ok 1'])
  })

  test('feedback of a project that is gone is filtered', () => {
    const meta = fresh()
    commit(meta, { feedback: [{ row: said({ projectId: 99 }), outcome }] })
    expect(quantities(meta)).toEqual(['user_report filtered discarded 1'])
  })

  test('feedback waits for its issue, and is asked for by its time', () => {
    const meta = fresh()
    commit(meta, {
      feedback: [
        { row: said(), outcome },
        { row: said({ feedbackId: 'e'.repeat(32), eventId: '' }), outcome },
      ],
    })
    const [item] = meta.unlinkedFeedback(nowMs, 10)
    expect([item?.eventId, meta.unlinkedFeedback(nowMs, 10).length, meta.unlinkedFeedback(nowMs - 1, 10)]).toEqual([
      'a'.repeat(32),
      1,
      [],
    ])
    meta.linkFeedback(item?.id ?? 0, { nextMs: nowMs + 5 })
    expect([meta.unlinkedFeedback(nowMs, 10).length, meta.unlinkedFeedback(nowMs + 5, 10).length]).toEqual([0, 1])
    commit(meta, { events: [effect()] })
    meta.linkFeedback(item?.id ?? 0, { issueId: 1 })
    expect(meta.unlinkedFeedback(nowMs + dayMs, 10)).toEqual([])
    expect(meta.feedbackOfIssue(1, 10).map((row) => row.id)).toEqual([item?.id])
    const asked = { projectIds: [1], filter: { op: 'feedback' as const } }
    expect(meta.countIssues(asked)).toBe(1)
    meta.setFeedbackState(item?.id ?? 0, 'spam', 'ann', nowMs)
    expect([meta.feedbackOfIssue(1, 10), meta.countFeedback([1])]).toEqual([[], { new: 1, resolved: 0, spam: 1 }])
    expect(meta.countIssues(asked)).toBe(0)
  })

  test('feedback goes with its screenshots, by hand and by time', () => {
    const meta = fresh()
    const row = said({ kind: 'feedback' })
    commit(meta, { feedback: [{ row, outcome }], attachments: [attachment(row.feedbackId, 'shot')] })
    const [item] = meta.listFeedback({ projectIds: [1], max: 1 })
    expect(meta.deleteFeedback(item?.id ?? 0)).toEqual([attachment(row.feedbackId, 'shot').blobKey])
    expect([meta.attachmentsOf(1, row.feedbackId), meta.deleteFeedback(item?.id ?? 0)]).toEqual([[], []])
    commit(meta, { feedback: [{ row, outcome }] })
    meta.prune(nowMs, nowMs, 0)
    expect(meta.listFeedback({ projectIds: [1], max: 1 })).toHaveLength(1)
    meta.prune(nowMs, nowMs + 1, 0)
    expect(meta.listFeedback({ projectIds: [1], max: 1 })).toEqual([])
  })
}

const ask = (meta: MetaStore, kind: 'issue' | 'discard' | 'project', issueId: number | null = 1) =>
  meta.requestRemoval({ kind, projectId: 1, issueId: kind === 'project' ? null : issueId, userId: 'ann' })

function removalCases(fresh: () => MetaStore): void {
  test('a removal is asked for once, and only of what is there', () => {
    const meta = fresh()
    commit(meta, { events: [effect()] })
    const first = ask(meta, 'issue')
    expect(ask(meta, 'discard').id).toBe(first.id)
    expect(meta.openRemovals()).toMatchObject([{ stage: 'asked', title: 'WEB-1', userId: 'ann' }])
    expect([codeOf(() => ask(meta, 'issue', 9)), codeOf(() => ask(meta, 'issue', 2))]).toEqual([
      'NOT_FOUND',
      'NOT_FOUND',
    ])
    meta.setRemoval(first.id, { stage: 'done', endedMs: nowMs })
    expect(meta.openRemovals()).toEqual([])
    expect(meta.removalsOf(1, 5)).toMatchObject([{ endedMs: nowMs }])
  })

  test('an issue goes with what hangs on it; what the ledger counted is noted once', () => {
    const meta = fresh()
    commit(meta, { events: [effect(), effect({ eventId: 'b'.repeat(32) })], feedback: [{ row: said(), outcome }] })
    meta.linkFeedback(1, { issueId: 1 })
    const { id } = ask(meta, 'issue')
    for (let round = 0; round < 2; round++) meta.removeRows(id, 2)
    expect([meta.issueById(1), meta.listFeedback({ projectIds: [1], max: 9 }), meta.hashesOf([1]).get(1)]).toEqual([
      undefined,
      [],
      [],
    ])
    expect([meta.removedEvents().get(1), meta.removalById(id)?.stage, meta.removalById(id)?.events]).toEqual([
      2,
      'blobs',
      2,
    ])
    commit(meta, { events: [effect()] })
    expect(meta.issueById(2)?.shortId).toBe('WEB-2')
  })

  test('a discarded fingerprint is told to refine until it is taken back', () => {
    const meta = fresh()
    commit(meta, { events: [effect({ hashes: [hash(1), hash(2)] })] })
    meta.removeRows(ask(meta, 'discard').id, 1)
    expect(meta.projectSettings(1)?.discardedHashes?.toSorted()).toEqual([hash(1), hash(2)])
    const { title, culprit } = effect()
    const item = { shortId: 'WEB-1', title, culprit, userId: 'ann' }
    expect(title).not.toBe('')
    expect(meta.discardedOf(1)).toMatchObject([item, item])
    meta.undiscard(1, 'WEB-1')
    expect(meta.projectSettings(1)?.discardedHashes).toBeUndefined()
  })

  test('files are doomed with the events that are named, and no others', () => {
    const meta = fresh()
    const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(32))
    commit(meta, { events: [effect()], attachments: ids.map((eventId) => attachment(eventId, 'x')) })
    expect(meta.attachedEventIds(1, '', 2)).toEqual(ids.slice(0, 2))
    expect(meta.attachedEventIds(1, ids[1] ?? '', 2)).toEqual(ids.slice(2))
    const { id } = ask(meta, 'issue')
    meta.doomAttachments(id, 1, ids.slice(0, 2))
    expect(meta.doomedBlobs(id, 9)).toEqual(ids.slice(0, 2).map((item) => attachment(item, 'x').blobKey))
    expect(meta.attachedEventIds(1, '', 9)).toEqual(ids.slice(2))
    meta.forgetDoomed(meta.doomedBlobs(id, 1))
    expect(meta.doomedBlobs(id, 9)).toHaveLength(1)
  })

  test('the keys of blobs are those of all rows, or of the rows since a mark', () => {
    const meta = fresh()
    const dead = { jpos: 5, projectId: 1, keyId: 1, receivedMs: nowMs, reason: 'x', bytes: 1, blobKey: 'dead/5' }
    const named = (letter: string) => attachment(letter.repeat(32), 'x')
    expect([meta.blobWatermark(), meta.blobKeys()]).toEqual([{ attachment: 0, deadItem: 0, bundle: 0 }, []])
    commit(meta, { events: [effect()], attachments: [named('a'), named('b')], dead: [dead] })
    const mark = meta.blobWatermark()
    expect(meta.blobKeys(mark)).toEqual([])
    // Ids are not reused, so later rows are found whatever was deleted.
    meta.doomAttachments(ask(meta, 'issue').id, 1, ['b'.repeat(32)])
    commit(meta, { attachments: [named('c')], dead: [{ ...dead, jpos: 6, blobKey: 'dead/6' }] })
    expect(meta.blobKeys(mark)).toEqual([named('c').blobKey, 'dead/6'])
    expect(meta.blobKeys()).toEqual([named('a').blobKey, named('c').blobKey, 'dead/5', 'dead/6'])
  })

  test('a project ends for accept when it is asked, and for refine when it is gone', () => {
    const meta = fresh()
    const dead = { jpos: 5, projectId: 1, keyId: 1, receivedMs: nowMs, reason: 'x', bytes: 1, blobKey: 'dead/5' }
    commit(meta, { events: [effect()], attachments: [attachment('a'.repeat(32), 'x')], dead: [dead] })
    const before = meta.keySnapshot().version
    const { id } = ask(meta, 'project')
    expect([meta.keySnapshot().keys, meta.keySnapshot().version > before, meta.projectById(1)?.slug]).toEqual([
      {},
      true,
      'web',
    ])
    meta.removeRows(id, 1)
    expect([meta.projectById(1), meta.issueById(1), meta.tally().deadItems, meta.tally().attachments]).toEqual([
      undefined,
      undefined,
      0,
      0,
    ])
    expect(meta.doomedBlobs(id, 9).sort()).toEqual([attachment('a'.repeat(32), 'x').blobKey, 'dead/5'])
    expect(meta.projectSettings(1)).toMatchObject({ removed: true, organizationId: 1 })
    expect([meta.projectSettings(77), meta.faults()]).toEqual([undefined, []])
  })
}

function organizationCases(fresh: () => MetaStore): void {
  test('an organization’s old slug leads to it, until another one takes it', () => {
    const meta = fresh()
    meta.updateOrganization(1, { slug: 'new' }, 90)
    meta.updateOrganization(1, { slug: 'newer', name: 'Newer' }, 90)
    expect([meta.organizationBySlug('acme'), meta.organizationByOldSlug('acme')?.slug]).toEqual([undefined, 'newer'])
    meta.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'bob' })
    meta.updateOrganization(2, { slug: 'acme' }, 90)
    expect([meta.organizationBySlug('acme')?.id, meta.organizationByOldSlug('acme')]).toEqual([2, undefined])
    meta.updateOrganization(1, { slug: 'new' }, 90)
    expect([meta.organizationByOldSlug('new'), meta.organizationByOldSlug('newer')?.slug]).toEqual([undefined, 'new'])
    expect(codeOf(() => meta.updateOrganization(1, { slug: 'acme' }, 90))).toBe('CONFLICT')
  })

  test.each<[object, string]>([
    [{ slug: '' }, 'VALIDATION'],
    [{ slug: '123' }, 'VALIDATION'],
    [{ name: ' ' }, 'VALIDATION'],
    [{ retentionErrorsDays: 0 }, 'VALIDATION'],
    [{ retentionErrorsDays: 91 }, 'VALIDATION'],
    [{ retentionErrorsDays: 1.5 }, 'VALIDATION'],
    [{ retentionErrorsDays: Number.NaN }, 'VALIDATION'],
    [{ retentionErrorsDays: 90 }, 'nothing thrown'],
    [{ retentionErrorsDays: null }, 'nothing thrown'],
  ])('a change of an organization to %j: %s', (change, code) => {
    const meta = fresh()
    expect(codeOf(() => meta.updateOrganization(1, change, 90))).toBe(code)
    expect(meta.organizationSettings(1).rev).toBe(code === 'VALIDATION' ? 0 : 1)
  })

  test('an organization is not changed for an older revision', () => {
    const meta = fresh()
    meta.updateOrganization(1, { name: 'One' }, 90, { userId: 'ann', rev: 0 })
    expect(codeOf(() => meta.updateOrganization(1, { name: 'Two' }, 90, { userId: 'bob', rev: 0 }))).toBe('CONFLICT')
    expect(meta.organizationById(1)?.name).toBe('One')
  })

  test('a retention of its own is told with its projects, and what it dropped is noted', () => {
    const meta = fresh()
    expect([meta.shorterRetentions(), meta.retainedSince()]).toEqual([[], new Map()])
    meta.updateOrganization(1, { retentionErrorsDays: 30 }, 90)
    expect(meta.shorterRetentions()).toEqual([{ organizationId: 1, days: 30, projectIds: [1] }])
    commit(meta, { feedback: [{ row: said(), outcome }], attachments: [attachment('a'.repeat(32), 'x')] })
    expect(meta.dropExpired(1, [1], nowMs)).toEqual([])
    expect(meta.dropExpired(1, [1], nowMs + 1)).toEqual([attachment('a'.repeat(32), 'x').blobKey])
    expect(meta.listFeedback({ projectIds: [1], max: 1 })).toEqual([])
    meta.dropExpired(1, [1], nowMs - 5)
    expect(meta.retainedSince()).toEqual(new Map([[1, nowMs + 1]]))
  })
}

function organizationRemovalCases(fresh: () => MetaStore): void {
  const asked = (meta: MetaStore) => meta.requestOrganizationRemoval({ organizationId: 1, userId: 'ann' })

  test('an organization is asked for once, with its projects, whose keys end', () => {
    const meta = fresh()
    meta.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: null })
    const first = asked(meta)
    expect(asked(meta).id).toBe(first.id)
    expect(
      meta
        .openRemovals()
        .map((openRemoval) => [openRemoval.kind, openRemoval.projectId, openRemoval.title, openRemoval.userId]),
    ).toEqual([
      ['organization', 0, 'Acme', 'ann'],
      ['project', 1, 'Web', 'ann'],
      ['project', 2, 'Api', 'ann'],
    ])
    expect([meta.keySnapshot().keys, meta.memberOf(1, 'ann')?.role]).toEqual([{}, 'owner'])
    expect(codeOf(() => meta.requestOrganizationRemoval({ organizationId: 9, userId: 'ann' }))).toBe('NOT_FOUND')
  })

  test('it goes after its projects, with all that names it, and its sums stay', () => {
    const meta = fresh()
    const other = meta.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'eve' })
    meta.invite({
      organizationId: 1,
      email: 'b@c.example',
      role: 'member',
      invitedBy: 'ann',
      secret: 's',
      nowMs,
    })
    meta.createToken({ name: 't', userId: 'ann', organizationId: 1, scopes: [], secret: 'x', nowMs })
    meta.updateOrganization(1, { slug: 'acme-2' }, 90)
    commit(meta, { events: [effect()] })
    const { id } = asked(meta)
    meta.removeOrganization(id)
    expect([meta.organizationById(1)?.name, meta.removalById(id)?.stage]).toEqual(['Acme', 'asked'])
    const project = meta.openRemovals().find((openRemoval) => openRemoval.kind === 'project')
    meta.removeRows(project?.id ?? 0, 3)
    meta.setRemoval(project?.id ?? 0, { blobs: 2, stage: 'done', endedMs: nowMs })
    expect(meta.requestProjectRemovals(1, 'ann')).toBe(0)
    expect(meta.organizationLeft(1).toSorted()).toEqual([
      'api_token',
      'invitation',
      'member',
      'old_organization_slug',
      'organization',
      'short_id',
    ])
    for (let round = 0; round < 2; round++) meta.removeOrganization(id)
    expect(meta.organizationLeft(1)).toEqual([])
    expect([meta.organizationById(1), meta.organizationByOldSlug('acme'), meta.tokenBySecret('x')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(meta.organizationRemovalsBy('ann', 9)).toMatchObject([
      { id, kind: 'organization', title: 'Acme', stage: 'proof', events: 3, blobs: 2 },
    ])
    expect([
      meta.organizationRemovalsBy('eve', 9),
      meta.organizations().map((organization) => organization.id),
    ]).toEqual([[], [other.id]])
    // Events that waited in the journal are filtered, not dead. The ledger counts the deleted events as removed.
    expect([meta.projectSettings(1)?.removed, meta.removedEvents().get(1)]).toEqual([true, 1])
  })

  test('a project that is made in between holds it, and is asked for', () => {
    const meta = fresh()
    const { id } = asked(meta)
    for (const openRemoval of meta.openRemovals())
      if (openRemoval.kind === 'project') meta.removeRows(openRemoval.id, 0)
    meta.createProject({ organizationId: 1, slug: 'late', name: 'Late', platform: null })
    meta.removeOrganization(id)
    expect(meta.organizationById(1)?.name).toBe('Acme')
    expect([meta.requestProjectRemovals(1, 'ann'), meta.requestProjectRemovals(1, 'ann')]).toEqual([1, 1])
    expect(meta.openRemovals().filter((openRemoval) => openRemoval.title === 'Late')).toHaveLength(1)
  })
}
