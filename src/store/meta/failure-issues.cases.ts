import { describe, expect, test } from 'vitest'
import { browser, count, failureRig, id, joinAll, numbers, server, shuffled, sure } from './failure-rig.cases.ts'
import { commit, hash, nowMs } from './fixture.cases.ts'
import type { Leaving } from './issues/merge.ts'
import type { EventEffect, FailureEffect } from './meta.ts'
import type { MetaStore } from './meta-store.ts'

/** Cases of error links when their issues change, and of many links at once. */
export function failureIssueCases(fresh: () => Promise<MetaStore>): void {
  const { open, linkOf } = failureRig(fresh)

  describe('links and their issues', () => {
    const linked = async () => {
      const meta = await open()
      await commit(meta, { events: [server(1, sure(1)), server(2, sure(2)), browser(1, sure(1)), browser(2, sure(2))] })
      await joinAll(meta)
      const issues = await meta.issues.issueIdsOf([1, 2].map((n) => ({ projectId: 2, groupHash: hash(1000 + n) })))
      const [item = 0, two = 0] = [1, 2].map((n) => issues.get(`2:${hash(1000 + n)}`))
      return { meta, one: item, two }
    }
    const events = async (meta: MetaStore, issueId: number) =>
      (await meta.errorLinks.clientEndsOf(issueId, [1], 1)).events

    const takeApart = async (meta: MetaStore, issueId: number, n: number) => {
      const texts: Leaving['texts'] = {
        kind: 'error',
        title: 'E',
        culprit: '',
        level: 'error',
        platform: 'node',
        logger: '',
        metadata: '{}',
        error_type: '',
        error_value: '',
        search_text: '',
        unhandled: 0,
      }
      const leaving: Leaving = {
        hashes: [hash(n)],
        events: 1,
        downsampled: 0,
        firstMs: nowMs,
        lastMs: nowMs,
        firstRelease: '',
        lastRelease: '',
        texts,
        eventIds: [],
        staying: { texts: undefined, edges: undefined, count: 2 },
      }
      return meta.merges.unmergeHashes(issueId, leaving, null, nowMs)
    }

    test('go with a merge, and come back when it is undone', async () => {
      const { meta, one, two } = await linked()
      await meta.merges.mergeIssues(one, [two], null, nowMs)
      expect(await events(meta, one)).toBe(2)
      const { created: made } = await takeApart(meta, one, 1002)
      expect([await events(meta, one), await events(meta, made?.id ?? 0)]).toEqual([1, 1])
    })

    test.each(['issue', 'discard'] as const)(
      'go with an issue that is deleted (%s); its browser event is alone',
      async (kind) => {
        const { meta, one } = await linked()
        const { id: removal } = await meta.retention.requestRemoval({ kind, projectId: 2, issueId: one, userId: null })
        await meta.retention.removeRows(removal, 1)
        expect([await linkOf(meta, 1), await linkOf(meta, 2)]).toEqual([undefined, ['digest', id(1002)]])
        await joinAll(meta)
        expect((await meta.errorLinks.errorEndState(1, id(1)))?.alone).toBe('none')
        expect(await meta.errorLinks.errorEndState(2, id(1001))).toBeUndefined()
      },
    )

    test('go with the browser’s issue', async () => {
      const { meta, one } = await linked()
      const { id: removal } = await meta.retention.requestRemoval({
        kind: 'issue',
        projectId: 1,
        issueId: await issueOfBrowser(meta),
        userId: null,
      })
      await meta.retention.removeRows(removal, 2)
      expect([await linkOf(meta, 1), await events(meta, one), await meta.errorLinks.errorEndState(1, id(1))]).toEqual([
        undefined,
        0,
        undefined,
      ])
    })

    test('go with either project', async () => {
      const { meta } = await linked()
      const { id: removal } = await meta.retention.requestRemoval({
        kind: 'project',
        projectId: 2,
        issueId: null,
        userId: null,
      })
      await meta.retention.removeRows(removal, 2)
      await joinAll(meta)
      expect([await linkOf(meta, 1), (await meta.errorLinks.errorEndState(1, id(1)))?.alone]).toEqual([
        undefined,
        'none',
      ])
    })

    test('go with retention, of all and of an organization’s own', async () => {
      const { meta, one } = await linked()
      await meta.retention.prune(nowMs, nowMs, nowMs)
      expect(await events(meta, one)).toBe(1)
      await meta.organizations.dropExpired(1, [1], nowMs + 6)
      expect([await events(meta, one), await meta.errorLinks.errorEndState(1, id(1))]).toEqual([0, undefined])
    })

    const dayMs = 86_400_000
    const prunes: [string, (meta: MetaStore, beforeMs: number) => Promise<unknown>][] = [
      ['of all', (meta, beforeMs) => meta.retention.prune(nowMs, beforeMs, beforeMs)],
      ['of an organization’s own', (meta, beforeMs) => meta.organizations.dropExpired(1, [1, 2], beforeMs)],
      ['of the server’s project', (meta, beforeMs) => meta.organizations.dropExpired(1, [2], beforeMs)],
    ]
    test.each(prunes)(
      'go with a server event that retention takes, %s; the browser’s is looked at again',
      async (_name, prune) => {
        const meta = await open()
        const old = (n: number, digest: number) => server(n, sure(digest), { receivedMs: nowMs - 100 * dayMs })
        const young = server(4, sure(2), { hashes: [hash(1002)], receivedMs: nowMs - 80 * dayMs })
        const own = numbers(3).map((n) => browser(n, sure(n), { receivedMs: nowMs - 95 * dayMs + n }))
        await commit(meta, { events: [old(1, 1), old(2, 2), young, ...own] })
        await joinAll(meta)
        expect(await Array.fromAsync([1, 2], async (n) => (await linkOf(meta, n))?.[1])).toEqual([id(1001), id(1002)])
        await prune(meta, nowMs - 98 * dayMs)
        expect(await Array.fromAsync([1, 2], async (n) => linkOf(meta, n))).toEqual([undefined, undefined])
        await joinAll(meta)
        expect((await meta.errorLinks.errorEndState(1, id(1)))?.alone).toBe('none')
        expect(await linkOf(meta, 2)).toEqual(['digest', id(1004)])
      },
    )

    test('a link whose server side was let go by number goes with its server event, too', async () => {
      const meta = await open()
      await commit(meta, { events: [server(1, sure(1), { receivedMs: nowMs - 9 * dayMs }), browser(1, sure(1))] })
      await commit(meta, { events: [server(2, sure(2)), server(3, sure(3), { receivedMs: nowMs + 6 })] })
      await joinAll(meta)
      await meta.errorLinks.limitErrorEnds(2)
      expect([await meta.errorLinks.errorEndState(2, id(1001)), (await linkOf(meta))?.[1]]).toEqual([
        undefined,
        id(1001),
      ])
      await meta.retention.prune(nowMs, nowMs - 8 * dayMs, nowMs)
      await joinAll(meta)
      expect([await linkOf(meta), (await meta.errorLinks.errorEndState(1, id(1)))?.alone]).toEqual([undefined, 'none'])
    })

    const doubts: [string, Partial<FailureEffect>, Partial<FailureEffect>][] = [
      ['a sure digest', sure(1), sure(1)],
      ['a trace', { digest: '5', traceId: 't', hints: 1 }, { traceId: 't' }],
      ['a page', { digest: '5', hints: 1 }, { digest: '5', hints: 1 }],
    ]
    const issueOf = async (meta: MetaStore, projectId: number, groupHash: string) =>
      (await meta.issues.issueIdsOf([{ projectId, groupHash }])).get(`${projectId}:${groupHash}`) ?? 0
    const remove = async (meta: MetaStore, projectId: number, issueId: number) => {
      const { id: removal } = await meta.retention.requestRemoval({ kind: 'issue', projectId, issueId, userId: null })
      await meta.retention.removeRows(removal, 1)
    }
    /** Creates two issues with a server event that matches one browser event. */
    const doubtful = async (ofServer: Partial<FailureEffect>, ofBrowser: Partial<FailureEffect>) => {
      const meta = await open()
      const old = { receivedMs: nowMs - 20_000 }
      await commit(meta, { events: [server(1, ofServer), server(2, ofServer, old), browser(1, ofBrowser)] })
      await joinAll(meta)
      expect((await meta.errorLinks.errorEndState(1, id(1)))?.alone).toBe('several')
      return { meta, one: await issueOf(meta, 2, hash(1001)), two: await issueOf(meta, 2, hash(1002)) }
    }
    type Doubt = Awaited<ReturnType<typeof doubtful>>
    const ends: [string, (doubt: Doubt) => Promise<unknown>][] = [
      ['merged', ({ meta, one, two }) => meta.merges.mergeIssues(one, [two], null, nowMs)],
      ['deleted', ({ meta, two }) => remove(meta, 2, two)],
      ['too old', ({ meta }) => meta.retention.prune(nowMs, nowMs - 10_000, nowMs)],
    ]
    test.each(doubts.flatMap((doubt) => ends.map((end) => [...doubt, ...end] as const)))(
      'come when what made them doubtful ends: %s of two issues, %s %s %s',
      async (_doubt, ofServer, ofBrowser, _end, end) => {
        const doubt = await doubtful(ofServer, ofBrowser)
        await end(doubt)
        await joinAll(doubt.meta)
        expect((await linkOf(doubt.meta))?.[1]).toBe(id(1001))
      },
    )

    test('are doubtful when one issue is taken apart into two that both have the digest', async () => {
      const { meta, one, two } = await doubtful(sure(1), sure(1))
      await meta.merges.mergeIssues(one, [two], null, nowMs)
      await joinAll(meta)
      expect(await linkOf(meta)).toEqual(['digest', id(1001)])
      await takeApart(meta, one, 1002)
      await joinAll(meta)
      expect([await linkOf(meta), (await meta.errorLinks.errorEndState(1, id(1)))?.alone]).toEqual([
        undefined,
        'several',
      ])
    })

    test('come when the person’s other event goes with its issue', async () => {
      const meta = await open()
      const hint = { digest: '5', hints: 1 }
      await commit(meta, {
        events: [server(1, hint), browser(1, hint), browser(2, { hints: 0 }, { hashes: [hash(2)] })],
      })
      await joinAll(meta)
      expect((await meta.errorLinks.errorEndState(1, id(1)))?.alone).toBe('several')
      await remove(meta, 1, await issueOf(meta, 1, hash(2)))
      await joinAll(meta)
      expect(await linkOf(meta)).toEqual(['route', id(1001)])
    })

    test('are bounded for each project: the oldest go', async () => {
      const meta = await open()
      const some = numbers(5).map((n) => browser(n, sure(1), { receivedMs: nowMs + n }))
      await commit(meta, { events: [server(1, sure(1)), ...some] })
      await joinAll(meta)
      expect(await meta.errorLinks.limitErrorEnds(5)).toBe(0)
      expect(await meta.errorLinks.limitErrorEnds(2)).toBe(6)
      expect(
        await Array.fromAsync(numbers(5), async (n) => (await meta.errorLinks.errorLinkOf(1, id(n))) !== undefined),
      ).toEqual([false, false, false, true, true])
    })

    const issueOfBrowser = async (meta: MetaStore) =>
      (await meta.issues.issueIdsOf([{ projectId: 1, groupHash: hash(1) }])).get(`1:${hash(1)}`) ?? 0
  })

  describe('many failures at one moment', () => {
    const rounds = (sides: EventEffect[]) => {
      const half = Math.ceil(sides.length / 2)
      return [sides.slice(0, half), sides.slice(half)]
    }
    test.each([
      ['the server first', (servers: EventEffect[], browsers: EventEffect[]) => [servers, browsers]],
      ['the browser first', (servers: EventEffect[], browsers: EventEffect[]) => [browsers, servers]],
      ['mixed', (servers: EventEffect[], browsers: EventEffect[]) => rounds(shuffled([...servers, ...browsers]))],
    ])('1,000 with the hook, %s: all joined, none wrong', async (_name, order) => {
      const meta = await open()
      // All events are in one trace and have breadcrumbs of others, so only their own digest counts.
      const of = (n: number) => ({ ...sure(n), traceId: 't', hints: 3 })
      for (const events of order(
        numbers(1000).map((n) => server(n, of(n))),
        numbers(1000).map((n) => browser(n, of(n))),
      )) {
        await commit(meta, { events })
        await joinAll(meta)
      }
      expect(await count(meta, 1000)).toEqual({ right: 1000, wrong: 0, alone: 0 })
    })

    test('1,000 with the hook of which a tenth of the server’s were lost: those stay alone', async () => {
      const meta = await open()
      const of = (n: number) => ({ ...sure(n), traceId: 't' })
      await commit(meta, { events: numbers(1000).map((n) => browser(n, of(n))) })
      await commit(meta, {
        events: numbers(1000)
          .filter((n) => n % 10 !== 0)
          .map((n) => server(n, of(n))),
      })
      await joinAll(meta)
      expect(await count(meta, 1000)).toEqual({ right: 900, wrong: 0, alone: 100 })
    })

    type Of = (n: number) => Partial<FailureEffect>
    const own = (n: number) => ({ digest: `${100_000 + n}`, hints: 1 })
    const foreign = (n: number) => own((n + 1) % 50)
    const cases: [name: string, server: Of, browser: Of, right: number][] = [
      ['each in its trace', (n) => ({ traceId: `t${n}` }), (n) => ({ traceId: `t${n}` }), 50],
      [
        'each in its trace, with breadcrumbs of its own',
        (n) => ({ traceId: `t${n}`, ...own(n) }),
        (n) => ({ traceId: `t${n}`, ...own(n) }),
        50,
      ],
      [
        'each in its trace, with breadcrumbs of another one',
        (n) => ({ traceId: `t${n}`, ...own(n) }),
        (n) => ({ traceId: `t${n}`, ...foreign(n) }),
        50,
      ],
      ['all in one trace', () => ({ traceId: 't' }), () => ({ traceId: 't' }), 0],
      [
        'all in one trace, with breadcrumbs of another one',
        (n) => ({ traceId: 't', ...own(n) }),
        (n) => ({ traceId: 't', ...foreign(n) }),
        0,
      ],
      ['without traces, with breadcrumbs of its own', own, (n) => ({ ...own(n), userHash: `${n}` }), 50],
      ['without traces, of one person, with breadcrumbs of another one', own, foreign, 0],
      ['without traces, with breadcrumbs of all', own, () => ({ hints: 50 }), 0],
      ['without anything', () => ({}), () => ({}), 0],
    ]
    test.each(cases)(
      '50 without the hook, %s: right or alone, none wrong',
      async (_name, ofServer, ofBrowser, right) => {
        for (const isServerFirst of [true, false]) {
          const meta = await open()
          const batches = [
            numbers(50).map((n) => server(n, ofServer(n))),
            numbers(50).map((n) => browser(n, ofBrowser(n))),
          ]
          for (const events of isServerFirst ? batches : batches.toReversed()) {
            await commit(meta, { events })
            await joinAll(meta)
          }
          expect(await count(meta, 50)).toEqual({ right, wrong: 0, alone: 50 - right })
        }
      },
    )
  })
}
