import { beforeAll, expect, test } from 'vitest'
import { factsOf } from '../alert/facts.ts'
import { factRows } from '../alert/message/fact-rows.ts'
import { appForFile } from './app.cases.ts'

// The facts of a message on real stores.

const { made } = appForFile()
const id = (at: number) => at.toString(16).padStart(32, '0')

beforeAll(async () => {
  const frame = (filename: string, lineno: number, in_app: boolean) => ({
    filename,
    lineno,
    in_app,
    function: 'total',
    context_line: '  return item.price.amount',
  })
  await made().store(
    Array.from({ length: 30 }, (_, at) => ({
      event_id: id(at + 1),
      timestamp: Date.now() / 1000 - at,
      platform: 'javascript',
      release: 'web@2',
      user: { id: String(at % 5) },
      tags: { plan: 'free' },
      exception: {
        values: [
          {
            type: 'ChunkLoadError',
            value: 'Loading chunk 7 failed.',
            stacktrace: {
              frames: [frame('vendor.js', 1, false), frame('src/cart.ts', 42, true), frame('lib.js', 9, false)],
            },
          },
        ],
      },
    })),
  )
  await made().store(
    Array.from({ length: 40 }, (_, at) => ({
      event_id: id(at + 100),
      timestamp: Date.now() / 1000 - at,
      platform: 'javascript',
      release: 'web@1',
      tags: { plan: 'team' },
      message: 'Another error',
    })),
  )
}, 30_000)

test('a message names the line, the users, the release, what is over-represented, and what to do', async () => {
  const { app, organization, project } = made()
  const [issue] = (await app.meta.issues.listIssues({ projectIds: [project.id], sort: 'last', max: 9 })).filter(
    ({ title }) => title.startsWith('ChunkLoadError'),
  )
  if (!issue) throw new Error('the issue is missing')
  const { facts, missing } = await factsOf(app, { issue, project, organization, eventId: id(1) })
  expect(missing).toEqual([])
  expect(facts).toMatchObject({
    sourceLine: { file: 'src/cart.ts', line: 42, text: 'return item.price.amount' },
    users: 5,
    since: { release: 'web@2', suspects: [] },
    advice: 'A script of an older build no longer exists.',
  })
  expect(facts.common).toContainEqual({ key: 'plan', value: 'free', share: 1 })
  expect(factRows(facts).map(([label]) => label)).toEqual(['Users', 'Line', 'Since', 'In common', 'What to do'])
})
