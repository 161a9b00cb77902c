import { describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { silent } from '../base/observe.ts'
import type { EventRow } from '../store/events/events.ts'
import type { EventEffect, Issue } from '../store/meta/meta.ts'
import type { ReprocessingRun, ReprocessingStep } from '../store/meta/retention/reprocessing.ts'
import { createLock } from './lock.ts'
import { createReprocessing, type RemappedRows, type ReprocessingDeps } from './reprocessing.ts'

const dayMs = 86_400_000
const week = '2026-11-16'

type Row = { jpos: number; gen: number; hash: string; week: string }

/** Stores in memory: rows by position and generation, issue counts by group, and a log of the calls. */
function world(rows: number, more: { gens?: number[]; weeks?: string[]; clockMs?: number } = {}) {
  const clock = testClock()
  const state = {
    rows: Array.from({ length: rows }, (_, jpos): Row => {
      return { jpos, gen: more.gens?.[jpos] ?? 0, hash: 'a', week: more.weeks?.[jpos] ?? week }
    }),
    counts: { a: rows } as Record<string, number>,
    steps: [] as ReprocessingStep[],
    runs: [] as ReprocessingRun[],
    arrivals: [{ projectId: 1, bundleIds: [5] }],
    late: [] as number[],
    removals: [] as { projectId: number }[],
    cuts: [] as { cut: { projectId: number } }[],
    ended: [] as unknown[],
    told: [] as number[],
    /** Errors that the next calls throw, by name. */
    fails: new Map<string, unknown[]>(),
    log: [] as string[],
    waiting: 0,
    held: 0,
    debugIds: 1,
    missingBefore: 0,
    /** Rows that are evicted between reading and writing. */
    thinned: [] as number[],
  }
  const at = (name: string) => {
    state.log.push(name)
    const error = state.fails.get(name)?.shift()
    if (error !== undefined) throw error
  }
  const isOld =
    ({ rewrite }: ReprocessingStep | { rewrite: ReprocessingStep['rewrite'] }) =>
    (row: Row) =>
      rewrite.positions.includes(row.jpos) && row.gen === rewrite.gen && row.week === rewrite.week
  const isNew = (rewrite: ReprocessingStep['rewrite']) => (row: Row) =>
    rewrite.positions.includes(row.jpos) && row.gen > rewrite.gen && row.week === rewrite.week
  const stepOf = (id: number) => state.steps.find((step) => step.id === id)
  const meta: ReprocessingDeps['meta'] = {
    batches: {
      cursor: async () => 1e6,
    },
    issues: {
      hashesOf: async (ids) => new Map(ids.map((id) => [id, ['a']])),
      // Events arrive during the first two calls.
      issueById: async (id) => ({ id, count: Math.min(3, ++state.missingBefore) }) as Issue,
    },
    retention: {
      openRemovals: async () => state.removals as never,
      downsampleSteps: async () => state.cuts as never,
      beginReprocessing: async (projectId, cause, total) => {
        const open = state.runs.find((item) => item.endedMs === null)
        if (open) return Object.assign(open, { total, looked: 0 })
        const run: ReprocessingRun = {
          id: state.runs.length + 1,
          projectId,
          cause,
          createdMs: clock.now(),
          endedMs: null,
          looked: 0,
          total,
          mapped: 0,
          moved: 0,
          issues: 0,
          error: '',
        }
        state.runs.push(run)
        return run
      },
      updateReprocessing: async (id, change) => void Object.assign(state.runs[id - 1] ?? {}, change),
      endReprocessing: async (id) => void Object.assign(state.runs[id - 1] ?? {}, { endedMs: clock.now() }),
      openReprocessingRuns: async () => state.runs.filter((run) => run.endedMs === null),
      planReprocessStep: async (regroupingId, rewrite) => {
        at('plan')
        const step: ReprocessingStep = {
          id: state.steps.length + 1,
          runId: regroupingId,
          rewrite,
          stale: [3],
          stage: 'planned',
          madeMs: clock.now(),
        }
        state.steps.push(step)
        return step
      },
      reprocessingSteps: async (only) =>
        state.steps
          .filter((step) => step.stage !== ('gone' as ReprocessingStep['stage']))
          .filter(({ stage, madeMs }) => {
            if (typeof only !== 'object') return only === undefined || stage !== 'cut'
            return stage === 'cut' && Math.abs(only.fromMs - madeMs) >= only.apartMs
          }),
      commitReprocessStep: async (id, moves) => {
        at('commit')
        for (const { fromHash, effect } of moves) {
          state.counts[fromHash] = (state.counts[fromHash] ?? 0) - 1
          const [to = ''] = effect.hashes
          state.counts[to] = (state.counts[to] ?? 0) + 1
        }
        Object.assign(stepOf(id) ?? {}, { stage: 'counted' })
        return { organizationId: 1, issues: [1], merged: [], moved: moves.length }
      },
      setReprocessStep: async (id, stage) => {
        at('cut')
        Object.assign(stepOf(id) ?? {}, { stage })
      },
      dropReprocessStep: async (id) => void Object.assign(stepOf(id) ?? {}, { stage: 'gone' }),
      setIssueEdges: async (id, _edges, count) => {
        state.log.push(`edges ${id} at ${count}`)
        return count === 3
      },
    },
    artifacts: {
      arrivals: async () => state.arrivals,
      dropArrivals: async () => {
        at('dropArrivals')
        state.arrivals = []
      },
      missingMapsInBundles: async () =>
        state.debugIds === 0
          ? []
          : [{ groupHash: 'a', fromJpos: 0, names: Array.from({ length: state.debugIds }, (_, n) => `d:${n}`) }],
      missingMapsOf: async () => [{ groupHash: 'a', fromJpos: 0, names: ['l'] }],
      lateProjects: async () => state.late,
      clearMissingMaps: async (ended) => void state.ended.push({ ...ended, stillMissing: [...ended.stillMissing] }),
      pruneMissingMaps: async (ms) => {
        expect(ms).toBe(clock.now() - 30 * dayMs)
        return 0
      },
    },
  }
  const events: ReprocessingDeps['events'] = {
    rowRefsOf: async (query) => {
      at('marks')
      state.log.push(`by ${query.debugIds.length} ids`)
      const found = state.rows.filter((row) => row.jpos >= query.fromJpos).sort((a, b) => a.jpos - b.jpos)
      return found.slice(0, query.max).map(({ jpos, gen, week: own }) => ({ jpos, gen, week: own }))
    },
    rowsAt: async (query) =>
      state.rows
        .filter((row) => query.positions.includes(row.jpos) && row.gen === query.gen && row.week === query.week)
        .map((row) => ({ jpos: row.jpos, gen: row.gen, groupHash: row.hash }) as EventRow),
    presentPositions: async (rewrite) => {
      state.rows = state.rows.filter((row) => !state.thinned.includes(row.jpos))
      return state.rows.filter(isOld({ rewrite })).map((row) => row.jpos)
    },
    insertRewritten: async (rewrite, tsv) => {
      const lines = Buffer.concat(tsv).toString().split('\n').filter(Boolean)
      expect(lines).toEqual(rewrite.positions.map(String))
      for (const jpos of rewrite.positions)
        state.rows.push({ jpos, gen: rewrite.gen + 1, hash: 'b', week: rewrite.week })
      at('write')
    },
    revert: async (rewrite) => {
      at('takeBack')
      state.rows = state.rows.filter((row) => !isNew(rewrite)(row))
    },
    replace: async (rewrite) => {
      at('replace')
      state.rows = state.rows.filter((row) => !isOld({ rewrite })(row))
    },
    edgesOf: async () => ({ events: 1, firstMs: 1, lastMs: 2, firstRelease: '', lastRelease: '' }),
  }
  const deps: ReprocessingDeps = {
    clock,
    observe: silent,
    meta,
    events,
    lock: createLock(),
    pause: async () => {
      state.held++
      return () => void state.held--
    },
    remapRows: async (_project, page) => {
      at('map')
      const out: RemappedRows = { tsv: new Uint8Array(0), moves: [], stillMissing: [], broken: 0 }
      const parts: Buffer[] = []
      for (const { jpos, groupHash, gen } of page) {
        if (gen > 0) {
          out.stillMissing.push({ hash: groupHash, names: ['d:0'] })
          continue
        }
        const line = Buffer.from(`${jpos}\n`)
        const tsvFrom = parts.reduce((sum, part) => sum + part.length, 0)
        const effect = { jpos, projectId: 1, hashes: ['b'], misses: ['r:x\n'] } as EventEffect
        out.moves.push({ fromHash: groupHash, effect, tsvFrom, tsvTo: tsvFrom + line.length, hour: 0 })
        parts.push(line)
      }
      out.tsv = new Uint8Array(Buffer.concat(parts))
      return out
    },
    waiting: async () => state.waiting,
    changed: ({ issues }) => void state.told.push(...issues),
  }
  return { deps, state, clock }
}

/** Runs the job while its sleeps pass. */
async function passing<T>(clock: ReturnType<typeof testClock>, work: Promise<T>): Promise<T> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  over.catch(() => undefined)
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(100)
  }
  return over
}

const sound = (state: ReturnType<typeof world>['state'], rows: number) => {
  expect(state.rows.map((row) => row.jpos).sort((a, b) => a - b)).toEqual(Array.from({ length: rows }, (_, n) => n))
  const byHash = Object.groupBy(state.rows, (row) => row.hash)
  for (const [hash, count] of Object.entries(state.counts))
    expect([hash, byHash[hash]?.length ?? 0]).toEqual([hash, count])
}

describe('events whose maps came later', () => {
  test('are looked at page by page, and written in steps of a bounded size', async () => {
    const { deps, state, clock } = world(2500)
    const result = await passing(clock, createReprocessing(deps).run())
    expect(result).toEqual({ looked: 2500, mapped: 2500, moved: 2500 })
    sound(state, 2500)
    expect(state.counts).toEqual({ a: 0, b: 2500 })
    expect(state.runs).toMatchObject([{ total: 2500, looked: 2500, endedMs: expect.any(Number) }])
    expect(state.log.filter((item) => item === 'plan')).toHaveLength(2)
    expect(state.log.filter((item) => item === 'map')).toHaveLength(13)
    expect(state.steps.map((step) => step.stage)).toEqual(['cut', 'cut'])
    expect([state.told.length, state.held, state.arrivals]).toEqual([2, 0, []])
    expect(state.log.filter((line) => line.startsWith('edges'))).toEqual([
      'edges 3 at 1',
      'edges 3 at 2',
      'edges 3 at 3',
      'edges 3 at 3',
    ])
    // Names that the groups did not miss are not recorded: events can contain any name.
    expect(state.ended).toMatchObject([
      { projectId: 1, groups: [{ groupHash: 'a', names: ['d:0'] }], stillMissing: [] },
    ])
  })

  test('nothing is begun where no group missed what came', async () => {
    const { deps, state, clock } = world(3)
    const quiet = {
      ...deps,
      meta: { ...deps.meta, artifacts: { ...deps.meta.artifacts, missingMapsInBundles: async () => [] } },
    }
    expect(await passing(clock, createReprocessing(quiet).run())).toEqual({ looked: 0, mapped: 0, moved: 0 })
    expect([state.runs, state.arrivals, state.held]).toEqual([[], [], 0])
  })

  test('what a batch in flight notes as it ends is looked at, too: it had looked before the files came', async () => {
    const { deps, state, clock } = world(3)
    state.debugIds = 0
    const pause = async () => {
      state.debugIds = 1
      return () => undefined
    }
    await passing(clock, createReprocessing({ ...deps, pause }).run())
    expect(state.counts).toEqual({ a: 0, b: 3 })
  })

  test('of many events some are held in memory at a time', async () => {
    const { deps, state, clock } = world(250)
    const rowRefsOf: ReprocessingDeps['events']['rowRefsOf'] = async (query) => {
      state.log.push(`planned before: ${state.steps.length}`)
      return deps.events.rowRefsOf(query)
    }
    await passing(clock, createReprocessing({ ...deps, rowRefsMax: 100, events: { ...deps.events, rowRefsOf } }).run())
    expect(state.log.filter((item) => item.startsWith('planned before'))).toEqual(
      [0, 1, 2].map((n) => `planned before: ${n}`),
    )
    expect([state.counts, state.runs[0]?.total]).toEqual([{ a: 0, b: 250 }, 250])
  })

  test('weeks and generations are written apart; what is mapped already stays, with what it still misses', async () => {
    const { deps, state, clock } = world(6, { gens: [0, 1, 0, 0], weeks: [week, week, '2026-11-09'] })
    await passing(clock, createReprocessing(deps).run())
    expect(state.log.filter((item) => item === 'plan')).toHaveLength(2)
    expect(state.rows.filter((row) => row.gen === 1)).toHaveLength(6)
    expect(state.ended).toMatchObject([{ stillMissing: ['d:0 a'] }])
  })

  test('many debug ids are not searched for one by one: all rows of the groups are looked at', async () => {
    const { deps, state, clock } = world(1)
    state.debugIds = 121
    await passing(clock, createReprocessing(deps).run())
    expect(state.log).toContain('by 0 ids')
  })

  test('maps that came too late are tried once', async () => {
    const { deps, state, clock } = world(2)
    state.arrivals = []
    state.late = [1]
    await passing(clock, createReprocessing(deps).run())
    expect(state.runs).toMatchObject([{ cause: 'late', endedMs: expect.any(Number) }])
    expect(state.ended).toMatchObject([{ groups: [{ names: ['l'] }], stillMissing: [] }])
  })

  test('the more events wait to be refined, the slower it goes', async () => {
    const times = await Promise.all(
      [0, 50].map(async (waiting) => {
        const { deps, state, clock } = world(1000)
        const slow = {
          ...deps,
          remapRows: async (...missingBefore: Parameters<ReprocessingDeps['remapRows']>) => {
            clock.advance(400)
            return deps.remapRows(...missingBefore)
          },
        }
        state.waiting = waiting
        const startMs = clock.now()
        await passing(clock, createReprocessing(slow).run())
        return clock.now() - startMs
      }),
    )
    expect(times[1]).toBeGreaterThan((times[0] ?? 0) + 5 * 600)
  })

  test('rows that went between reading and writing are not written', async () => {
    const { deps, state, clock } = world(4)
    state.thinned = [2]
    state.counts = { a: 3 }
    await passing(clock, createReprocessing(deps).run())
    expect(state.rows.map((row) => [row.jpos, row.hash])).toEqual([0, 1, 3].map((jpos) => [jpos, 'b']))
    expect(state.counts).toEqual({ a: 0, b: 3 })
  })

  test('a removal and thinning go first: the run waits for the next time', async () => {
    const { deps, state, clock } = world(3)
    state.removals = [{ projectId: 1 }]
    const job = createReprocessing(deps)
    expect(await passing(clock, job.run())).toMatchObject({ mapped: 0 })
    expect([state.arrivals.length, state.log.includes('plan')]).toEqual([1, false])
    // A pending cut of downsampling would evict rows that move into its groups.
    Object.assign(state, { removals: [], cuts: [{ cut: { projectId: 1 } }] })
    expect(await passing(clock, job.run())).toMatchObject({ mapped: 0 })
    Object.assign(state, { removals: [{ projectId: 2 }], cuts: [{ cut: { projectId: 2 } }] })
    await passing(clock, job.run())
    sound(state, 3)
    expect(state.counts).toEqual({ a: 0, b: 3 })
  })
})

test('a removal that is asked for while rows are written takes them back: what is to go moves nowhere', async () => {
  const { deps, state, clock } = world(3)
  const { insertRewritten: writeAgain } = deps.events
  const asking: typeof writeAgain = async (...written) => {
    await writeAgain(...written)
    state.removals = [{ projectId: 1 }]
  }
  await passing(clock, createReprocessing({ ...deps, events: { ...deps.events, insertRewritten: asking } }).run())
  sound(state, 3)
  expect([state.counts, state.arrivals.length, state.steps[0]?.stage]).toEqual([{ a: 3 }, 1, 'gone'])
  state.removals = []
  await passing(clock, createReprocessing(deps).run())
  expect(state.counts).toEqual({ a: 0, b: 3 })
})

describe('what is broken off', () => {
  const away = () => new MishapError('STORE_UNAVAILABLE')

  test.each<[at: string, errors: unknown[], isWritten: boolean]>([
    ['marks', [away()], false],
    ['map', [new Error('the thread ended')], false],
    ['plan', [new Error('disk full')], false],
    ['write', [away()], false],
    ['commit', [new Error('no issue')], false],
    ['takeBack', [], false],
    ['replace', [away(), away()], true],
    ['cut', [away()], true],
  ])('a failure at %s leaves each event once, and the next run ends it', async (at, errors, isWritten) => {
    const { deps, state, clock } = world(5)
    state.fails.set(at, [...errors])
    if (at === 'takeBack') {
      state.fails.set('write', [away()])
      state.fails.set('takeBack', [away(), new Error('odd')])
    }
    const job = createReprocessing(deps)
    const failed = await passing(
      clock,
      job.run().then(
        () => false,
        () => true,
      ),
    )
    expect(failed).toBe(!isWritten)
    sound(state, 5)
    expect(state.counts).toEqual(isWritten ? { a: 0, b: 5 } : { a: 5 })
    if (failed && at !== 'marks') expect(state.runs[0]?.error).not.toBe('')
    await passing(clock, job.run())
    sound(state, 5)
    expect(state.counts).toEqual({ a: 0, b: 5 })
    expect(state.runs.filter((run) => run.endedMs === null)).toEqual([])
  })

  test.each<[ReprocessingStep['stage'], counts: Record<string, number>]>([
    ['planned', { a: 2 }],
    ['counted', { a: 0, b: 2 }],
  ])('a start finds a step that is %s', async (stage, counts) => {
    const { deps, state, clock } = world(2)
    const rewrite = { projectId: 1, week, gen: 0, positions: [0, 1], from: ['a'], to: ['b'], hours: [0], token: 't' }
    state.steps = [{ id: 1, runId: 1, rewrite, stale: [], stage, madeMs: 0 }]
    state.rows.push(...[0, 1].map((jpos) => ({ jpos, gen: 1, hash: 'b', week })))
    state.counts = counts
    state.fails.set('replace', [away()])
    state.fails.set('takeBack', [away()])
    await passing(clock, createReprocessing(deps).resume())
    sound(state, 2)
    expect(state.steps.map((step) => step.stage)).toEqual([stage === 'planned' ? 'gone' : 'cut'])
  })

  test('a run that was broken off behind its last group ends with the next one, which finds none', async () => {
    const { deps, state, clock } = world(1)
    await deps.meta.retention.beginReprocessing(1, 'upload', 1)
    state.debugIds = 0
    await passing(clock, createReprocessing(deps).run())
    expect([state.runs.length, state.runs[0]?.endedMs === null, state.arrivals]).toEqual([1, false, []])
  })

  test('a start goes on where a step can’t be ended; the job tries it again', async () => {
    const { deps, state, clock } = world(1)
    const rewrite = { projectId: 1, week, gen: 0, positions: [0], from: ['a'], to: ['b'], hours: [0], token: 't' }
    state.steps = [{ id: 1, runId: 1, rewrite, stale: [], stage: 'counted', madeMs: clock.now() }]
    state.fails.set('replace', Array(5).fill(new Error('odd')))
    const job = createReprocessing(deps)
    await passing(clock, job.resume())
    expect(state.steps[0]?.stage).toBe('counted')
    await passing(clock, job.run())
    expect(state.steps[0]?.stage).toBe('cut')
  })

  test('rows that a power cut brought back are taken out, and a step is forgotten when it is proven', async () => {
    const { deps, state, clock } = world(2)
    const job = createReprocessing(deps)
    await passing(clock, job.run())
    state.rows.push({ jpos: 1, gen: 0, hash: 'a', week })
    await passing(clock, job.run())
    expect(state.rows).toHaveLength(3)
    clock.advance(16 * 60_000)
    await passing(clock, job.run())
    sound(state, 2)
    expect(state.steps[0]?.stage).toBe('cut')
    await passing(clock, job.run())
    expect(state.steps[0]?.stage).toBe('gone')
  })
})

test('an upload starts it a second later, once, and once more for what comes while it runs', async () => {
  const { deps, state, clock } = world(3)
  const job = createReprocessing(deps)
  job.trigger()
  job.trigger()
  expect(state.log).toEqual([])
  const lock = async (ms: number) => {
    clock.advance(ms)
    for (let n = 0; n < 60; n++) {
      await new Promise((resolve) => setImmediate(resolve))
      clock.advance(10)
    }
  }
  await lock(1000)
  expect(state.counts).toEqual({ a: 0, b: 3 })
  state.arrivals = [{ projectId: 1, bundleIds: [6] }]
  job.trigger()
  await lock(1000)
  expect(state.arrivals).toEqual([])
  job.stop()
  state.arrivals = [{ projectId: 1, bundleIds: [7] }]
  job.trigger()
  await lock(1000)
  expect(state.arrivals).toHaveLength(1)
})
