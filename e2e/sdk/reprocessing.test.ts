import { expect, inject, test } from 'vitest'
import { buildOf, failedEvent, runsOf, uploadBuild } from '../mapped.ts'
import { api, bootstrap, envelopeOf, type Issue, idsOf, ingest, type Project, until } from '../product.ts'

// Events arrive before the source maps of their build.

const product = inject('product')

type Listed = Issue & { shortId: string; title: string; culprit: string; assignedTo: unknown }
type Activity = { type: string; data: { events?: number; from?: string[]; came?: number } }

const send = async (project: Project, events: { event_id: string }[]) => {
  for (const event of events) expect((await ingest(product, project, envelopeOf(event))).status).toBe(200)
}
const listed = async (project: Project) =>
  (await api(product, project, `/organizations/${project.org}/issues/?query=&statsPeriod=24h`)).json as Listed[]
const total = async (project: Project, count: number) =>
  until(`${count} events`, 30_000, async () => {
    const found = await listed(project)
    return found.reduce((sum, issue) => sum + Number(issue.lifetime.count), 0) === count && found
  })
const mapped = (project: Project, runs: number) =>
  until('events to be mapped again', 60_000, async () => {
    const found = await runsOf(product, project)
    return found.length === runs && found.every((item) => item.dateEnded !== null) && found
  })

test('events that came before their maps become readable, in the issue that they were', async () => {
  const project = bootstrap(product, 'later', 'shop', 'javascript')
  const build = await buildOf('first')
  const events = Array.from({ length: 12 }, () => failedEvent(build, 'cart', { user: { id: String(Math.random()) } }))
  await send(project, events)
  const [before] = await total(project, 12)
  if (!before) throw new Error('no issue')
  expect(before.culprit).toContain('/assets/first')
  await uploadBuild(product, project, build)
  expect(await mapped(project, 1)).toMatchObject([
    { project: { slug: 'shop' }, total: 12, looked: 12, mapped: 12, moved: 0, issues: 1, error: '' },
  ])
  const after = await listed(project)
  expect(after).toMatchObject([{ id: before.id, shortId: before.shortId, count: '12', lifetime: { count: '12' } }])
  expect(after[0]?.culprit).toBe('Cart.totalOf(assets/src/cart)')
  expect((await idsOf(product, project, before.id)).sort()).toEqual(events.map((event) => event.event_id).sort())
  const [event] = events
  const { json } = await api(product, project, `/projects/later/shop/events/${event?.event_id}/`)
  const shown = json as {
    eventID: string
    dateMapped: string
    groupID: string
    entries: { type: string; data: { values: { stacktrace: { frames: object[] }; rawStacktrace: object }[] } }[]
  }
  expect([shown.eventID, shown.groupID, shown.dateMapped !== null]).toEqual([event?.event_id, before.id, true])
  const exception = shown.entries.find((entry) => entry.type === 'exception')?.data.values[0]
  expect(exception?.stacktrace.frames.at(-1)).toMatchObject({
    function: 'Cart.totalOf',
    filename: 'src/cart.ts',
    lineNo: 4,
    data: { symbolicated: true, resolvedWith: 'debug-id' },
  })
  expect(exception?.rawStacktrace).not.toBeNull()
  const detail = (await api(product, project, `/organizations/later/issues/${before.id}/`)).json as {
    activity: Activity[]
  }
  expect(detail.activity.filter((item) => item.type === 'mapped_again').map((item) => item.data.events)).toEqual([12])
})

test('one failure in two builds becomes one issue, and the other goes into it', async () => {
  const project = bootstrap(product, 'parting', 'shop', 'javascript')
  const [mappedBuild, unmappedBuild] = [await buildOf('one'), await buildOf('two', false)]
  await send(project, [failedEvent(mappedBuild), failedEvent(mappedBuild)])
  // Events must be stored before the upload. Later ones are mapped at once, and no reprocessing starts.
  await total(project, 2)
  await uploadBuild(product, project, mappedBuild)
  await mapped(project, 1)
  const [first] = await listed(project)
  await send(project, [failedEvent(unmappedBuild, 'cart'), failedEvent(unmappedBuild, 'search')])
  const before = await total(project, 4)
  expect(before).toHaveLength(3)
  await uploadBuild(product, project, unmappedBuild)
  const runs = await mapped(project, 2)
  expect(runs[0]).toMatchObject({ total: 2, mapped: 2, moved: 1, error: '' })
  const after = await total(project, 4)
  expect(after.map((issue) => [issue.culprit, issue.lifetime.count, issue.count]).sort()).toEqual([
    ['Cart.totalOf(assets/src/cart)', '3', '3'],
    ['search(assets/src/cart)', '1', '1'],
  ])
  // The id and the link of the merged issue lead to the other issue.
  const cart = after.find((issue) => issue.culprit.startsWith('Cart'))
  expect(cart?.id).toBe(first?.id)
  const [gone, ...others] = before.filter((issue) => !after.some((other) => other.id === issue.id))
  expect(others).toEqual([])
  for (const name of [gone?.id, gone?.shortId]) {
    const { status, json } = await api(product, project, `/organizations/parting/issues/${name}/`)
    expect([status, (json as { id: string }).id]).toEqual([200, cart?.id])
  }
  const { activity } = (await api(product, project, `/organizations/parting/issues/${cart?.id}/`)).json as {
    activity: Activity[]
  }
  expect(activity.filter((activityItem) => activityItem.type === 'mapped_again').at(0)?.data).toMatchObject({
    came: 1,
    from: [gone?.shortId],
  })
})
