import { describe, expect, test } from 'vitest'
import { browser, count, failureRig, id, joinAll, numbers, server, shuffled, sure } from './failure-rig.cases.ts'
import { commit, hash, nowMs } from './fixture.cases.ts'
import type { Leaving } from './issues/merge.ts'
import type { EventEffect, FailureEffect } from './meta.ts'
import type { MetaStore } from './meta-store.ts'

/** Cases of error links when their issues change, and of many links at once. */
export function failureIssueCases(fresh: () => MetaStore): void {
  const { open, linkOf } = failureRig(fresh)

  describe('links and their issues', () => {
    const linked = () => {
      const meta = open()
      commit(meta, { events: [server(1, sure(1)), server(2, sure(2)), browser(1, sure(1)), browser(2, sure(2))] })
      joinAll(meta)
      const issues = meta.issueIdsOf([1, 2].map((n) => ({ projectId: 2, groupHash: hash(1000 + n) })))
      const [item = 0, two = 0] = [1, 2].map((n) => issues.get(`2:${hash(1000 + n)}`))
      return { meta, one: item, two }
    }
    const events = (meta: MetaStore, issueId: number) => meta.clientEndsOf(issueId, [1], 1).events

    const takeApart = (meta: MetaStore, issueId: number, n: number) => {
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
      return meta.unmergeHashes(issueId, leaving, null, nowMs)
    }

    test('go with a merge, and come back when it is undone', () => {
      const { meta, one, two } = linked()
      meta.mergeIssues(one, [two], null, nowMs)
      expect(events(meta, one)).toBe(2)
      const { created: made } = takeApart(meta, one, 1002)
      expect([events(meta, one), events(meta, made?.id ?? 0)]).toEqual([1, 1])
    })

    test.each(['issue', 'discard'] as const)(
      'go with an issue that is deleted (%s); its browser event is alone',
      (kind) => {
        const { meta, one } = linked()
        const { id: removal } = meta.requestRemoval({ kind, projectId: 2, issueId: one, userId: null })
        meta.removeRows(removal, 1)
        expect([linkOf(meta, 1), linkOf(meta, 2)]).toEqual([undefined, ['digest', id(1002)]])
        joinAll(meta)
        expect(meta.errorEndState(1, id(1))?.alone).toBe('none')
        expect(meta.errorEndState(2, id(1001))).toBeUndefined()
      },
    )

    test('go with the browser’s issue', () => {
      const { meta, one } = linked()
      const { id: removal } = meta.requestRemoval({
        kind: 'issue',
        projectId: 1,
        issueId: issueOfBrowser(meta),
        userId: null,
      })
      meta.removeRows(removal, 2)
      expect([linkOf(meta, 1), events(meta, one), meta.errorEndState(1, id(1))]).toEqual([undefined, 0, undefined])
    })

    test('go with either project', () => {
      const { meta } = linked()
      const { id: removal } = meta.requestRemoval({ kind: 'project', projectId: 2, issueId: null, userId: null })
      meta.removeRows(removal, 2)
      joinAll(meta)
      expect([linkOf(meta, 1), meta.errorEndState(1, id(1))?.alone]).toEqual([undefined, 'none'])
    })

    test('go with retention, of all and of an organization’s own', () => {
      const { meta, one } = linked()
      meta.prune(nowMs, nowMs, nowMs)
      expect(events(meta, one)).toBe(1)
      meta.dropExpired(1, [1], nowMs + 6)
      expect([events(meta, one), meta.errorEndState(1, id(1))]).toEqual([0, undefined])
    })

    const dayMs = 86_400_000
    const prunes: [string, (meta: MetaStore, beforeMs: number) => void][] = [
      ['of all', (meta, beforeMs) => void meta.prune(nowMs, beforeMs, beforeMs)],
      ['of an organization’s own', (meta, beforeMs) => void meta.dropExpired(1, [1, 2], beforeMs)],
      ['of the server’s project', (meta, beforeMs) => void meta.dropExpired(1, [2], beforeMs)],
    ]
    test.each(prunes)(
      'go with a server event that retention takes, %s; the browser’s is looked at again',
      (_name, prune) => {
        const meta = open()
        const old = (n: number, digest: number) => server(n, sure(digest), { receivedMs: nowMs - 100 * dayMs })
        const young = server(4, sure(2), { hashes: [hash(1002)], receivedMs: nowMs - 80 * dayMs })
        const own = numbers(3).map((n) => browser(n, sure(n), { receivedMs: nowMs - 95 * dayMs + n }))
        commit(meta, { events: [old(1, 1), old(2, 2), young, ...own] })
        joinAll(meta)
        expect([1, 2].map((n) => linkOf(meta, n)?.[1])).toEqual([id(1001), id(1002)])
        prune(meta, nowMs - 98 * dayMs)
        expect([1, 2].map((n) => linkOf(meta, n))).toEqual([undefined, undefined])
        joinAll(meta)
        expect(meta.errorEndState(1, id(1))?.alone).toBe('none')
        expect(linkOf(meta, 2)).toEqual(['digest', id(1004)])
      },
    )

    test('a link whose server side was let go by number goes with its server event, too', () => {
      const meta = open()
      commit(meta, { events: [server(1, sure(1), { receivedMs: nowMs - 9 * dayMs }), browser(1, sure(1))] })
      commit(meta, { events: [server(2, sure(2)), server(3, sure(3), { receivedMs: nowMs + 6 })] })
      joinAll(meta)
      meta.limitErrorEnds(2)
      expect([meta.errorEndState(2, id(1001)), linkOf(meta)?.[1]]).toEqual([undefined, id(1001)])
      meta.prune(nowMs, nowMs - 8 * dayMs, nowMs)
      joinAll(meta)
      expect([linkOf(meta), meta.errorEndState(1, id(1))?.alone]).toEqual([undefined, 'none'])
    })

    const doubts: [string, Partial<FailureEffect>, Partial<FailureEffect>][] = [
      ['a sure digest', sure(1), sure(1)],
      ['a trace', { digest: '5', traceId: 't', hints: 1 }, { traceId: 't' }],
      ['a page', { digest: '5', hints: 1 }, { digest: '5', hints: 1 }],
    ]
    const issueOf = (meta: MetaStore, projectId: number, groupHash: string) =>
      meta.issueIdsOf([{ projectId, groupHash }]).get(`${projectId}:${groupHash}`) ?? 0
    const remove = (meta: MetaStore, projectId: number, issueId: number) => {
      const { id: removal } = meta.requestRemoval({ kind: 'issue', projectId, issueId, userId: null })
      meta.removeRows(removal, 1)
    }
    /** Creates two issues with a server event that matches one browser event. */
    const doubtful = (ofServer: Partial<FailureEffect>, ofBrowser: Partial<FailureEffect>) => {
      const meta = open()
      const old = { receivedMs: nowMs - 20_000 }
      commit(meta, { events: [server(1, ofServer), server(2, ofServer, old), browser(1, ofBrowser)] })
      joinAll(meta)
      expect(meta.errorEndState(1, id(1))?.alone).toBe('several')
      return { meta, one: issueOf(meta, 2, hash(1001)), two: issueOf(meta, 2, hash(1002)) }
    }
    const ends: [string, (doubt: ReturnType<typeof doubtful>) => void][] = [
      ['merged', ({ meta, one, two }) => void meta.mergeIssues(one, [two], null, nowMs)],
      ['deleted', ({ meta, two }) => remove(meta, 2, two)],
      ['too old', ({ meta }) => void meta.prune(nowMs, nowMs - 10_000, nowMs)],
    ]
    test.each(doubts.flatMap((doubt) => ends.map((end) => [...doubt, ...end] as const)))(
      'come when what made them doubtful ends: %s of two issues, %s %s %s',
      (_doubt, ofServer, ofBrowser, _end, end) => {
        const doubt = doubtful(ofServer, ofBrowser)
        end(doubt)
        joinAll(doubt.meta)
        expect(linkOf(doubt.meta)?.[1]).toBe(id(1001))
      },
    )

    test('are doubtful when one issue is taken apart into two that both have the digest', () => {
      const { meta, one, two } = doubtful(sure(1), sure(1))
      meta.mergeIssues(one, [two], null, nowMs)
      joinAll(meta)
      expect(linkOf(meta)).toEqual(['digest', id(1001)])
      takeApart(meta, one, 1002)
      joinAll(meta)
      expect([linkOf(meta), meta.errorEndState(1, id(1))?.alone]).toEqual([undefined, 'several'])
    })

    test('come when the person’s other event goes with its issue', () => {
      const meta = open()
      const hint = { digest: '5', hints: 1 }
      commit(meta, { events: [server(1, hint), browser(1, hint), browser(2, { hints: 0 }, { hashes: [hash(2)] })] })
      joinAll(meta)
      expect(meta.errorEndState(1, id(1))?.alone).toBe('several')
      remove(meta, 1, issueOf(meta, 1, hash(2)))
      joinAll(meta)
      expect(linkOf(meta)).toEqual(['route', id(1001)])
    })

    test('are bounded for each project: the oldest go', () => {
      const meta = open()
      const some = numbers(5).map((n) => browser(n, sure(1), { receivedMs: nowMs + n }))
      commit(meta, { events: [server(1, sure(1)), ...some] })
      joinAll(meta)
      expect(meta.limitErrorEnds(5)).toBe(0)
      expect(meta.limitErrorEnds(2)).toBe(6)
      expect(numbers(5).map((n) => meta.errorLinkOf(1, id(n)) !== undefined)).toEqual([false, false, false, true, true])
    })

    const issueOfBrowser = (meta: MetaStore) =>
      meta.issueIdsOf([{ projectId: 1, groupHash: hash(1) }]).get(`1:${hash(1)}`) ?? 0
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
    ])('1,000 with the hook, %s: all joined, none wrong', (_name, order) => {
      const meta = open()
      // All events are in one trace and have breadcrumbs of others, so only their own digest counts.
      const of = (n: number) => ({ ...sure(n), traceId: 't', hints: 3 })
      for (const events of order(
        numbers(1000).map((n) => server(n, of(n))),
        numbers(1000).map((n) => browser(n, of(n))),
      )) {
        commit(meta, { events })
        joinAll(meta)
      }
      expect(count(meta, 1000)).toEqual({ right: 1000, wrong: 0, alone: 0 })
    })

    test('1,000 with the hook of which a tenth of the server’s were lost: those stay alone', () => {
      const meta = open()
      const of = (n: number) => ({ ...sure(n), traceId: 't' })
      commit(meta, { events: numbers(1000).map((n) => browser(n, of(n))) })
      commit(meta, {
        events: numbers(1000)
          .filter((n) => n % 10 !== 0)
          .map((n) => server(n, of(n))),
      })
      joinAll(meta)
      expect(count(meta, 1000)).toEqual({ right: 900, wrong: 0, alone: 100 })
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
    test.each(cases)('50 without the hook, %s: right or alone, none wrong', (_name, ofServer, ofBrowser, right) => {
      for (const isServerFirst of [true, false]) {
        const meta = open()
        const batches = [
          numbers(50).map((n) => server(n, ofServer(n))),
          numbers(50).map((n) => browser(n, ofBrowser(n))),
        ]
        for (const events of isServerFirst ? batches : batches.toReversed()) {
          commit(meta, { events })
          joinAll(meta)
        }
        expect(count(meta, 50)).toEqual({ right, wrong: 0, alone: 50 - right })
      }
    })
  })
}
