import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { RestCodeMapping, RestExternalIssue, RestIntegration } from '../contract/alerts/trackers.ts'
import type { RestCommit } from '../contract/commits.ts'
import type { RestEvent } from '../contract/events.ts'
import type { RestIssue } from '../contract/issues.ts'
import { hookLimits } from '../operations/hook-calls.ts'
import { goodToken, startVendor, type Vendor } from '../trackers/vendors.cases.ts'
import { createRoutes } from './api.ts'
import { appForFile } from './app.cases.ts'
import { seedEvents } from './seed.cases.ts'

const { made } = appForFile()
const O = '/organizations/acme'
const here: { vendor?: Vendor; issue?: RestIssue; made?: { integration: RestIntegration; secret: string } } = {}

beforeAll(async () => {
  await made().store(seedEvents)
  const [issue] = (await made().call('GET', `${O}/issues/`)).json as RestIssue[]
  const vendor = await startVendor('gitlab')
  const body = { kind: 'gitlab', name: 'Web', url: vendor.url, target: 'acme/web', token: goodToken }
  const answer = await made().call('POST', `${O}/integrations/`, { body })
  expect(answer.status).toBe(201)
  expect(answer.text).not.toContain(goodToken)
  Object.assign(here, { vendor, issue, made: answer.json })
}, 60_000)

/** A webhook is no route of the API: it has no token and no place in the OpenAPI file. */
async function deliver(id: string, body: unknown, headers: Record<string, string>) {
  const request = { method: 'POST', body: JSON.stringify(body), headers }
  const answer = await createRoutes(made().app).request(`http://mishap.test/api/0/trackers/${id}/webhook/`, request)
  const { outcome } = (await answer.json()) as { outcome?: string }
  return [answer.status, outcome]
}

/** A call whose body counts how often somebody reads it. */
function unread(url: string, headers: Record<string, string> = {}) {
  const reads = { count: 0 }
  const body = new ReadableStream(
    {
      pull: (controller) => {
        reads.count += 1
        controller.enqueue(new TextEncoder().encode('{}'))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return { reads, request: new Request(url, { method: 'POST', body, headers, duplex: 'half' } as RequestInit) }
}

function parts() {
  const { vendor, issue, made: connected } = here
  if (!vendor || !issue || !connected) throw new Error('not set up')
  return { vendor, issue, ...connected, external: `${O}/issues/${issue.id}/external-issues` }
}

describe('connections', () => {
  test('are listed with their state, without token and secret', async () => {
    const { integration, secret, vendor } = parts()
    const list = await made().call('GET', `${O}/integrations/`)
    expect(list.json).toEqual([integration])
    expect(integration).toMatchObject({
      name: 'Web',
      status: 'active',
      domainName: new URL(vendor.url).host,
      provider: { key: 'gitlab', name: 'GitLab' },
      account: 'tanuki',
      connectedBy: { name: 'Olga' },
      refusedSince: null,
      webhookUrl: `http://mishap.test/api/0/trackers/${integration.id}/webhook/`,
      deliveries: { accepted: 0, bad_signature: 0 },
    })
    expect(list.text).not.toContain(secret)
    expect((await made().call('GET', `${O}/integrations/?provider_key=jira`)).json).toEqual([])
    expect((await made().call('GET', `${O}/integrations/${integration.id}/`)).json).toEqual(integration)
    expect((await made().call('GET', `${O}/integrations/999/`)).status).toBe(404)
    expect((await made().call('GET', `${O}/integrations/x/`)).status).toBe(404)
  })

  test('are tested and changed; a refusal has the words of the service', async () => {
    const { integration, vendor } = parts()
    const path = `${O}/integrations/${integration.id}/`
    expect((await made().call('POST', `${path}test/`)).json).toEqual({ account: 'tanuki' })
    vendor.fail.push({ status: 401, body: { message: '401 Unauthorized' } })
    const refused = await made().call('POST', `${path}test/`)
    expect([refused.status, refused.json]).toEqual([400, { tracker: ['401: 401 Unauthorized'] }])
    expect((await made().call('GET', path)).json).toMatchObject({
      status: 'disabled',
      refusedSince: expect.any(String),
    })
    const changed = await made().call('PUT', path, { body: { token: goodToken, name: 'Web', syncComments: true } })
    expect(changed.json).toMatchObject({ status: 'active', syncComments: true, lastError: '' })
    expect((await made().call('PUT', path, { body: { target: 'x' } })).json).toEqual({ target: [expect.any(String)] })
  })

  test.each([
    [{}, ['kind', 'name', 'target', 'token']],
    [{ kind: 'trac', name: 'x', target: 'a/b', token: goodToken }, ['kind']],
    [{ kind: 'gitlab', name: 'x', target: 'a', token: goodToken }, ['target']],
    [{ kind: 'jira', name: 'x', target: 'WEB', token: goodToken, url: 'javascript:alert(1)' }, ['url']],
  ])('%j is refused', async (body, fields) => {
    const answer = await made().call('POST', `${O}/integrations/`, { body })
    expect([answer.status, Object.keys(answer.json).sort()]).toEqual([400, fields])
  })
})

describe('linked issues', () => {
  test('a draft, a creation, a link, the list that clients read, and an end', async () => {
    const { external, integration, vendor, issue } = parts()
    const draft = await made().call('GET', `${external}/draft/?integrationId=${integration.id}`)
    expect(draft.json).toMatchObject({
      title: expect.stringContaining(issue.shortId),
      body: expect.stringContaining('Mishap'),
    })
    const body = { integrationId: integration.id, title: 'Mine', description: 'Words' }
    const created = await made().call('POST', `${external}/`, { body })
    expect([created.status, created.json]).toMatchObject([
      201,
      {
        serviceType: 'gitlab',
        displayName: 'acme/web#1',
        webUrl: `${vendor.url}/acme/web/-/issues/1`,
        issueId: issue.id,
        state: 'open',
      },
    ])
    vendor.issues.push({ number: 2, title: 'There', body: '', state: 'closed', comments: [] })
    const link = { integrationId: integration.id, issue: 'acme/web#2' }
    const linked = (await made().call('POST', `${external}/`, { body: link })).json as RestExternalIssue
    expect(linked).toMatchObject({ displayName: 'acme/web#2', title: 'There', state: 'closed', isFromRule: false })
    expect((await made().call('POST', `${external}/`, { body: link })).status).toBe(409)
    const list = (await made().call('GET', `${external}/`)).json as RestExternalIssue[]
    expect(list.map(({ displayName }) => displayName)).toEqual(['acme/web#1', 'acme/web#2'])
    expect((await made().call('DELETE', `${external}/${linked.id}/`)).status).toBe(204)
    expect((await made().call('DELETE', `${external}/${linked.id}/`)).status).toBe(404)
  })

  test('a refused token says who must reconnect', async () => {
    const { external, integration, vendor } = parts()
    vendor.fail.push({ status: 401, body: { message: '401 Unauthorized' } })
    await made().call('POST', `${O}/integrations/${integration.id}/test/`)
    expect((await made().call('GET', `${external}/`)).json).toMatchObject([
      { reconnect: 'Olga', refusedSince: expect.any(String) },
    ])
    const body = { integrationId: integration.id, title: 'x' }
    expect((await made().call('POST', `${external}/`, { body })).json).toEqual({ tracker: ['401: 401 Unauthorized'] })
    await made().call('PUT', `${O}/integrations/${integration.id}/`, { body: { token: goodToken } })
    expect((await made().call('GET', `${external}/`)).json).toMatchObject([{ reconnect: null, refusedSince: null }])
  })

  test.each([
    [{}, 400],
    [{ integrationId: '999' }, 404],
    [{ integrationId: 'x' }, 400],
  ])('%j is answered with %d', async (body, status) => {
    expect((await made().call('POST', `${parts().external}/`, { body })).status).toBe(status)
  })
})

describe('webhooks', () => {
  test('need no token but the right signature, and every answer is counted', async () => {
    const { integration, secret, issue } = parts()
    const body = {
      object_kind: 'issue',
      user: { id: 8, username: 'eve' },
      project: { path_with_namespace: 'acme/web' },
      object_attributes: { iid: 1, action: 'close' },
    }
    const post = (headers: Record<string, string>, id = integration.id) => deliver(id, body, headers)
    expect(await post({})).toEqual([401, undefined])
    expect(await post({ 'x-gitlab-token': 'wrong' })).toEqual([401, undefined])
    const right = { 'x-gitlab-token': secret, 'x-gitlab-event-uuid': 'delivery-one' }
    expect(await post(right)).toEqual([202, 'accepted'])
    expect(await post(right)).toEqual([202, 'repeated'])
    expect(await post(right, '999')).toEqual([404, undefined])
    expect((await made().call('GET', `${O}/issues/${issue.id}/`)).json).toMatchObject({ status: 'resolved' })
    // Shown at once, and once they are stored.
    for (const store of [false, true]) {
      if (store) await made().app.hookCalls.flush()
      expect((await made().call('GET', `${O}/integrations/${integration.id}/`)).json).toMatchObject({
        deliveries: { accepted: 1, repeated: 1, unsigned: 1, bad_signature: 1, limited: 0 },
      })
    }
  })

  test('without a signature are refused before the body is read', async () => {
    const { integration } = parts()
    const post = async (id: string) => {
      const { request, reads } = unread(`http://mishap.test/api/0/trackers/${id}/webhook/`)
      return [(await createRoutes(made().app).fetch(request)).status, reads.count]
    }
    expect([await post(integration.id), await post('999')]).toEqual([
      [401, 0],
      [404, 0],
    ])
  })

  test('too many refused ones get 429 for their address, counted, and delay nobody who signs or calls elsewhere', async () => {
    const { integration, secret } = parts()
    const { app } = made()
    const post = async (address: string, headers: Record<string, string>, id = integration.id) => {
      const url = `http://mishap.test/api/0/trackers/${id}/webhook/`
      const { request, reads } = unread(url, { 'x-forwarded-for': address, ...headers })
      const answer = await createRoutes(app).fetch(request)
      const { code } = (await answer.json()) as { code?: string }
      return { status: answer.status, code, wait: answer.headers.get('retry-after'), reads: reads.count }
    }
    const counts = async () => {
      const shown = (await made().call('GET', `${O}/integrations/${integration.id}/`)).json as RestIntegration
      return shown.deliveries
    }
    const before = await counts()
    const limited = { status: 429, code: 'HOOK_LIMITED', wait: '1', reads: 0 }
    for (let calls = 0; calls < hookLimits.freeFailures; calls++) expect((await post('192.0.2.7', {})).status).toBe(401)
    expect(await post('192.0.2.7', {})).toEqual(limited)
    // The same address with a signature, right or wrong.
    const right = { 'x-gitlab-token': secret }
    expect((await post('192.0.2.7', right)).status).toBe(202)
    const wrong = { 'x-gitlab-token': 'wrong' }
    for (let calls = 0; calls < hookLimits.freeFailures; calls++)
      expect((await post('192.0.2.7', wrong)).status).toBe(401)
    expect(await post('192.0.2.7', wrong)).toEqual(limited)
    expect((await post('192.0.2.8', right)).status).toBe(202)
    const after = await counts()
    const free = hookLimits.freeFailures
    expect([after.unsigned, after.bad_signature, after.limited]).toEqual([
      before.unsigned + free,
      before.bad_signature + free,
      before.limited + 2,
    ])
  })

  test('a renewed secret replaces the old one at once', async () => {
    const { integration, secret } = parts()
    const renewed = await made().call('POST', `${O}/integrations/${integration.id}/secret/`)
    const { secret: next } = renewed.json as { secret: string }
    const status = async (value: string) => (await deliver(integration.id, {}, { 'x-gitlab-token': value }))[0]
    expect([renewed.status, next === secret, await status(secret), await status(next)]).toEqual([201, false, 401, 202])
    Object.assign(here, { made: { integration, secret: next } })
  })

  test('a body over 8 MiB is refused', async () => {
    const { integration, secret } = parts()
    const body = { text: 'x'.repeat(8 * 1024 * 1024) }
    expect((await deliver(integration.id, body, { 'x-gitlab-token': secret }))[0]).toBe(413)
  })
})

describe('commits and code mappings', () => {
  const sha = createHmac('sha1', 'a').digest('hex')

  test('pushed commits are listed, and an issue is resolved in one', async () => {
    const { integration, secret, issue } = parts()
    const project = { path_with_namespace: 'acme/web', web_url: 'https://gitlab.com/acme/web', default_branch: 'main' }
    const commit = {
      id: sha,
      message: 'Mend the cart',
      timestamp: '2026-11-01T10:00:00Z',
      author: { name: 'Eve', email: 'e@x.test' },
    }
    const body = { object_kind: 'push', ref: 'refs/heads/main', project, commits: [commit] }
    expect((await deliver(integration.id, body, { 'x-gitlab-token': secret }))[0]).toBe(202)
    const commits = (await made().call('GET', `${O}/commits/?query=mend`)).json as RestCommit[]
    expect(commits).toMatchObject([
      { id: sha, message: 'Mend the cart', repository: { name: 'acme/web', url: 'https://gitlab.com/acme/web' } },
    ])
    expect((await made().call('GET', `${O}/commits/?query=nothing`)).json).toEqual([])
    const inCommit = { repository: 'acme/web', commit: sha }
    const change = { body: { status: 'resolved', statusDetails: { inCommit } } }
    expect((await made().call('PUT', `${O}/issues/${issue.id}/`, change)).json).toMatchObject({
      statusDetails: { inCommit },
    })
    const [repository] = (await made().call('GET', `${O}/repos/?named=1`)).json as {
      integrationId: string
      externalSlug: string
    }[]
    expect(repository).toMatchObject({ integrationId: integration.id, externalSlug: 'acme/web' })
  })

  test('sentry-cli uploads mappings, a wrong one does not stop the others', async () => {
    const mappings = [
      { stackRoot: 'app/', sourceRoot: 'src/app/' },
      { stackRoot: 'lib/', sourceRoot: '../secret/' },
    ]
    const body = { project: 'web', repository: 'acme/web', defaultBranch: 'trunk', mappings }
    const first = await made().call('POST', `${O}/code-mappings/bulk/`, { body })
    expect([first.status, first.json]).toEqual([
      200,
      {
        created: 1,
        updated: 0,
        errors: 1,
        mappings: [
          { stackRoot: 'app/', sourceRoot: 'src/app/', status: 'created' },
          { stackRoot: 'lib/', sourceRoot: '../secret/', status: 'error', detail: expect.any(String) },
        ],
      },
    ])
    expect((await made().call('POST', `${O}/code-mappings/bulk/`, { body })).json).toMatchObject({
      created: 0,
      updated: 1,
    })
    const list = (await made().call('GET', `${O}/code-mappings/`)).json as RestCodeMapping[]
    expect(list).toMatchObject([
      {
        projectSlug: 'web',
        repoName: 'acme/web',
        stackRoot: 'app/',
        sourceRoot: 'src/app/',
        defaultBranch: 'trunk',
        provider: { key: 'gitlab' },
      },
    ])
    expect((await made().call('GET', `${O}/code-mappings/?project=nope`)).json).toEqual([])
    const unknown = await made().call('POST', `${O}/code-mappings/bulk/`, { body: { ...body, project: 'nope' } })
    expect([unknown.status, unknown.json]).toEqual([400, { project: [expect.any(String)] }])
  })

  test('a mapping is created, changed and deleted, and the event has it', async () => {
    const [{ repoId = '' } = {}] = (await made().call('GET', `${O}/code-mappings/`)).json as RestCodeMapping[]
    const body = {
      projectId: 'web',
      repositoryId: repoId,
      stackRoot: 'shop/',
      sourceRoot: 'packages/shop/',
      defaultBranch: 'main',
    }
    const created = (await made().call('POST', `${O}/code-mappings/`, { body })).json as RestCodeMapping
    expect(created).toMatchObject({ stackRoot: 'shop/', sourceRoot: 'packages/shop/' })
    const path = `${O}/code-mappings/${created.id}/`
    expect((await made().call('PUT', path, { body: { ...body, sourceRoot: 'shop/' } })).json).toMatchObject({
      sourceRoot: 'shop/',
    })
    expect((await made().call('PUT', path, { body: { ...body, stackRoot: 'app/' } })).status).toBe(409)
    const event = (await made().call('GET', `${O}/issues/${parts().issue.id}/events/latest/`)).json as RestEvent
    expect(event.codeMappings).toMatchObject([
      { stackRoot: 'shop/', sourceRoot: 'shop/', url: 'https://gitlab.com/acme/web' },
      { stackRoot: 'app/', ref: 'trunk' },
    ])
    expect((await made().call('DELETE', path)).status).toBe(204)
    expect((await made().call('DELETE', path)).status).toBe(404)
  })

  test.each<[change: Record<string, unknown>, field: string]>([
    [{ projectId: 'nope' }, 'projectId'],
    [{ repositoryId: '999' }, 'repositoryId'],
    [{ repositoryId: 'x' }, 'repositoryId'],
    [{ sourceRoot: 'a/../b' }, 'sourceRoot'],
    [{ stackRoot: 'a\u0000' }, 'stackRoot'],
    [{ defaultBranch: '-x' }, 'defaultBranch'],
    [{ defaultBranch: 'a..b' }, 'defaultBranch'],
  ])('a mapping with %j is refused', async (change, field) => {
    const [{ repoId = '' } = {}] = (await made().call('GET', `${O}/code-mappings/`)).json as RestCodeMapping[]
    const body = {
      projectId: 'web',
      repositoryId: repoId,
      stackRoot: 'q/',
      sourceRoot: 'q/',
      defaultBranch: 'main',
      ...change,
    }
    const answer = await made().call('POST', `${O}/code-mappings/`, { body })
    expect([answer.status, Object.keys(answer.json)]).toEqual([400, [field]])
  })
})
