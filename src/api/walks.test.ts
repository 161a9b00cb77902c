import { beforeEach, expect, test } from 'vitest'
import type { RestIssue } from '../contract/issues.ts'
import { appForFile } from './app.cases.ts'

const { made, call } = appForFile()
const nowS = Math.floor(Date.now() / 1000)
const names = ['A', 'B', 'C', 'D', 'E', 'F']
const levels = ['fatal', 'error', 'warning', 'info', 'debug']
/** Each test has six issues with its own level. The first one is the latest and has the most events. */
const state = { round: -1, seconds: 0 }
const levelTerm = () => `level:${levels[state.round]}`
const error = (name: string, agoS: number) => ({
  timestamp: nowS - agoS,
  fingerprint: [`${name} ${state.round}`],
  level: levels[state.round],
  tags: { round: String(state.round) },
  exception: { values: [{ type: `${name}Error`, value: 'x' }] },
})

beforeEach(async () => {
  state.round++
  state.seconds = 60
  const events = names.flatMap((name, at) =>
    Array.from({ length: names.length - at }, (_one, n) => error(name, 3600 + at * 60 + n)),
  )
  await made().store(events)
})

/** Walks a list by its next links, two rows per page. `meanwhile` runs after the first page. */
async function walk(first: string, meanwhile: () => Promise<unknown>) {
  const seen: string[] = []
  const said = new Set<string | null>()
  let next: string | undefined = first
  for (let page = 0; next !== undefined && page < 10; page++) {
    const answer: Awaited<ReturnType<typeof call>> = await call('GET', next)
    said.add(answer.headers.get('x-walk'))
    seen.push(...(answer.json as RestIssue[]).map((item) => item.metadata.type?.slice(0, 1) ?? ''))
    const link = /<([^>]+)>; rel="next"; results="true"/.exec(answer.headers.get('link') ?? '')?.[1]
    next = link?.replace('http://mishap.test/api/0', '')
    if (page === 0) await meanwhile()
  }
  return { seen: seen.join(''), said: [...said] }
}
/** The last issue of the list gets more new events than any other and moves to the front. */
const stir = () => made().store(Array.from({ length: 20 }, () => error('F', state.seconds--)))
const list = (sort: string, query: string) =>
  `/organizations/acme/issues/?limit=2&sort=${sort}&query=${encodeURIComponent(query)}`

test('by first seen: each issue once, whatever moves', async () => {
  expect(await walk(list('new', levelTerm()), async () => undefined)).toEqual({ seen: 'ABCDEF', said: ['stable'] })
  expect(await walk(list('new', levelTerm()), stir)).toEqual({ seen: 'ABCDEF', said: ['stable'] })
})

test('by last seen: none twice; what moved to the front is missed, and the answer says that it may be', async () => {
  expect(await walk(list('date', levelTerm()), async () => undefined)).toEqual({ seen: 'ABCDEF', said: ['may-skip'] })
  expect(await walk(list('date', levelTerm()), stir)).toEqual({ seen: 'ABCDE', said: ['may-skip'] })
})

test('by events: the answer says that rows may come twice or be missed', async () => {
  const query = `round:${state.round}`
  expect(await walk(list('freq', query), async () => undefined)).toEqual({ seen: 'ABCDEF', said: ['may-repeat'] })
  expect(await walk(list('freq', query), stir)).toEqual({ seen: 'ABBCDE', said: ['may-repeat'] })
})

test('counted by offset, a list that is stable by its links is not', async () => {
  expect((await call('GET', `${list('new', 'is:unresolved')}&cursor=0:2:0`)).headers.get('x-walk')).toBe('may-repeat')
})

test('events of an issue: what arrives neither repeats nor hides others', async () => {
  const [issue] = (await call('GET', list('freq', `round:${state.round}`))).json as RestIssue[]
  const answer = await call('GET', `/organizations/acme/issues/${issue?.id}/events/?limit=2`)
  expect(answer.headers.get('x-walk')).toBe('stable')
  const skipped = await call('GET', `/organizations/acme/issues/${issue?.id}/events/?limit=2&cursor=0:2:0`)
  expect(skipped.headers.get('x-walk')).toBe('may-repeat')
})
