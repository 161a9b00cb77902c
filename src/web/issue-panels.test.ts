import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { issueLoaders } from './app/o/[org]/issues/[id]/loaders.ts'
import { issuePanels } from './app/o/[org]/issues/[id]/panels.ts'

vi.mock('server-only', () => ({}))

const { head, event, withoutEvent, side } = issuePanels
const idsOf = (panels: readonly { id: string }[]) => panels.map((panel) => panel.id)

test('each panel of the issue page has an id of its own', () => {
  for (const page of [
    [head, event, side],
    [head, withoutEvent, side],
  ]) {
    const ids = page.flatMap(idsOf)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  }
})

test('each loader is one of a panel', () => {
  const ids = [head, event, side].flatMap(idsOf)
  expect(Object.keys(issueLoaders).filter((id) => !ids.includes(id))).toEqual([])
})

test('each panel that is typed to have data has a loader', () => {
  const panels = join(import.meta.dirname, 'panels')
  const typed = globSync('*/panel.tsx', { cwd: panels })
    .map((path) => readFileSync(join(panels, path), 'utf8'))
    .flatMap((text) => [
      ...text.matchAll(/: (?:Issue|Event)Panel<[^\n]+> = \{\n {2}id: '([^']+)',(?:\n {2}sharesDataOf: '([^']+)')?/g),
    ])
    .map(([, id = '', other]) => other ?? id)
  expect(typed.length).toBeGreaterThan(0)
  expect(typed.filter((id) => !(id in issueLoaders))).toEqual([])
})
