import { expect, test } from 'vitest'
import { refineEvent } from '../refine/pipeline/fixture.cases.ts'
import { appForFile } from './app.cases.ts'
import { hex } from './seed.cases.ts'

const { made } = appForFile()

test('a short id that two organizations have is that of the one which the token is bound to', async () => {
  const event = { event_id: hex(10), exception: { values: [{ type: 'TypeError', value: 'x' }] } }
  const { app, organization, store, call } = made()
  await store([event])
  const { meta, auth, clock } = app
  const person = await auth.personByEmail('owner@example.test')
  if (!person) throw new Error('no owner')
  const other = await meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: person.id })
  const project = await meta.projects.createProject({
    organizationId: other.id,
    slug: 'web',
    name: 'Web',
    platform: null,
  })
  const head = {
    projectId: project.id,
    organizationId: other.id,
    keyId: (await meta.projects.createKey(project.id, 'Default')).id,
  }
  const { effect } = refineEvent(event, { ...head, receivedMs: clock.now() }, {})
  await meta.batches.commitBatch(
    await meta.batches.openBatch(1000, 1001),
    { events: [effect], attachments: [], outcomes: [], dead: [] },
    clock.now(),
  )
  const own = await meta.issues.issueByShortId(organization.id, 'WEB-1')
  const answers = await Promise.all(
    await Array.fromAsync([organization.id, null], async (id) => {
      const token = (await auth.createToken(person, 'test', ['event:read'], id)).secret
      return call('GET', '/issues/WEB-1/', { token })
    }),
  )
  expect(await meta.issues.issueByShortId(other.id, 'WEB-1')).toBeDefined()
  expect(answers.map(({ status }) => status)).toEqual([200, 404])
  expect(answers[0]?.json).toMatchObject({ id: String(own?.id) })
})
