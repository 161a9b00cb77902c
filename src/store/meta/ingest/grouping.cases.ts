import { expect, test } from 'vitest'
import { newestGrouping } from '../../../domain/grouping.ts'
import { codeOf, commit, effect, hash, nowMs } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'
import { changeOverMs } from './grouping.ts'

/** An event `at` ms after the first. */
const event = (at = 0, hashes = [hash(1)]) =>
  effect({ hashes, eventId: (100 + at).toString(16).padStart(32, '0'), timestampMs: nowMs + at })
const counts = async (meta: MetaStore) =>
  (await meta.issues.listIssues({ projectIds: [1], sort: 'first', max: 99 })).map((issue) => [
    issue.shortId,
    issue.count,
  ])

/** Cases of the grouping of a project: its rules and its version. */
export function groupingCases(fresh: () => Promise<MetaStore>): void {
  test('nothing set: a new project has the newest version', async () => {
    const meta = await fresh()
    expect(await meta.projects.groupingSettings(1)).toEqual({
      fingerprintRules: '',
      stackRules: '',
      version: newestGrouping,
    })
    expect((await meta.projects.projectSettings(1))?.grouping).toEqual(await meta.projects.groupingSettings(1))
    expect(await codeOf(() => meta.projects.groupingSettings(99))).toBe('NOT_FOUND')
  })
  test('rules are kept with a new revision and reach refine', async () => {
    const meta = await fresh()
    const rules = { fingerprintRules: 'type:A -> b', stackRules: 'function:x -app' }
    const { rev } = await meta.projects.updateProject(1, rules)
    expect(rev).toBe(1)
    expect((await meta.projects.projectSettings(1))?.grouping).toEqual({ ...rules, version: newestGrouping })
    await meta.projects.updateProject(1, { name: 'Other' })
    expect(await meta.projects.groupingSettings(1)).toMatchObject(rules)
    await meta.projects.updateProject(1, { fingerprintRules: '', stackRules: '' })
    expect((await meta.projects.projectSettings(1))?.grouping).toMatchObject({ fingerprintRules: '', stackRules: '' })
  })
  test.each([[{ fingerprintRules: 'nonsense' }], [{ stackRules: 'function:x' }]])(
    '%j cannot be read: refused',
    async (change) => {
      const meta = await fresh()
      expect(await codeOf(() => meta.projects.updateProject(1, change))).toBe('VALIDATION')
      expect((await meta.projects.projectById(1))?.rev).toBe(0)
    },
  )
  test('another version: hashes of the one before find their issue until the change-over ends', async () => {
    const meta = await fresh()
    await meta.projects.updateProject(1, { groupingVersion: 1 })
    await commit(meta, { events: [event()] })
    await meta.projects.updateProject(1, { groupingVersion: 2 })
    expect((await meta.projects.projectSettings(1))?.grouping).toMatchObject({ version: 2, secondary: 1 })
    expect((await meta.projects.groupingSettings(1)).secondaryUntilMs).toBeGreaterThan(changeOverMs)
    // As refine sends it: the new hash first, then the old one.
    await commit(meta, { events: [event(5, [hash(21), hash(1)])] })
    expect(await counts(meta)).toEqual([['WEB-1', 2]])
    // From then on the new hash alone finds it.
    await commit(meta, { events: [event(6, [hash(21)])] })
    expect(await counts(meta)).toEqual([['WEB-1', 3]])
  })
}
