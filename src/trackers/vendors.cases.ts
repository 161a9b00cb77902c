import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import type { TrackerKind, TrackerState } from '../domain/alerts/trackers.ts'

// A local server that speaks the documented requests, answers and errors of the four services:
// https://docs.github.com/en/rest/issues/issues
// https://docs.gitlab.com/api/issues/ and https://docs.gitlab.com/api/notes/
// https://developer.atlassian.com/cloud/jira/platform/rest/v2/
// https://linear.app/developers/graphql

export const goodToken = 'good-token-1234'
export const targets: Readonly<Record<TrackerKind, string>> = {
  github: 'acme/web',
  gitlab: 'acme/web',
  jira: 'WEB',
  linear: 'WEB',
}

type Stored = { number: number; title: string; body: string; state: TrackerState; comments: string[] }
type Answer = { status: number; body: unknown; headers?: Record<string, string> }
type Asked = { method: string; path: string; body: Record<string, unknown>; headers: IncomingMessage['headers'] }

/** The server's memory. `fail`: the next answer; `calls`: what was asked, oldest first. */
export type Vendor = {
  url: string
  issues: Stored[]
  calls: Asked[]
  fail: Answer[]
  /** Whether Jira's workflow and Linear's team can close an issue. */
  canClose: boolean
}

const ok = (body: unknown, status = 200): Answer => ({ status, body })
const notFound: Record<TrackerKind, Answer> = {
  github: {
    status: 404,
    body: { message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' },
  },
  gitlab: { status: 404, body: { message: '404 Not found' } },
  jira: {
    status: 404,
    body: { errorMessages: ['Issue does not exist or you do not have permission to see it.'], errors: {} },
  },
  linear: {
    status: 200,
    body: { errors: [{ message: 'Entity not found: Issue', extensions: { code: 'ENTITY_NOT_FOUND' } }], data: null },
  },
}
export const unauthorized: Record<TrackerKind, Answer> = {
  github: {
    status: 401,
    body: { message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest', status: '401' },
  },
  gitlab: { status: 401, body: { message: '401 Unauthorized' } },
  jira: { status: 401, body: { errorMessages: ['Client must be authenticated to access this resource.'], errors: {} } },
  linear: {
    status: 400,
    body: { errors: [{ message: 'Authentication required', extensions: { code: 'AUTHENTICATION_ERROR' } }] },
  },
}

const add = (vendor: Vendor, title: unknown, body: unknown): Stored => {
  const stored: Stored = {
    number: vendor.issues.length + 1,
    title: String(title),
    body: String(body),
    state: 'open',
    comments: [],
  }
  vendor.issues.push(stored)
  return stored
}
const textIn = (value: unknown, field: string): string => String((value as Record<string, unknown>)[field] ?? '')

// ---- GitHub

const githubIssue = (vendor: Vendor, issue: Stored) => ({
  id: 1000 + issue.number,
  number: issue.number,
  title: issue.title,
  body: issue.body,
  state: issue.state,
  html_url: `${vendor.url}/acme/web/issues/${issue.number}`,
})

function github(vendor: Vendor, { method, path, body }: Asked): Answer {
  if (path === '/user') return ok({ login: 'octo', id: 7 })
  if (path === '/repos/acme/web') return ok({ full_name: 'acme/web', has_issues: true })
  if (path === '/repos/acme/web/issues' && method === 'POST')
    return ok(githubIssue(vendor, add(vendor, body.title, body.body)), 201)
  const [, number, rest] = /^\/repos\/acme\/web\/issues\/(\d+)(\/comments)?$/.exec(path) ?? []
  const issue = vendor.issues.find((item) => String(item.number) === number)
  if (!issue) return notFound.github
  if (rest) {
    issue.comments.push(String(body.body))
    return ok({ id: 500 + issue.comments.length, body: body.body }, 201)
  }
  if (method === 'PATCH') issue.state = body.state === 'closed' ? 'closed' : 'open'
  return ok(githubIssue(vendor, issue))
}

// ---- GitLab

const gitlabIssue = (vendor: Vendor, issue: Stored) => ({
  id: 2000 + issue.number,
  iid: issue.number,
  title: issue.title,
  description: issue.body,
  state: issue.state === 'open' ? 'opened' : 'closed',
  web_url: `${vendor.url}/acme/web/-/issues/${issue.number}`,
})

function gitlab(vendor: Vendor, { method, path, body }: Asked): Answer {
  if (path === '/api/v4/user') return ok({ username: 'tanuki', id: 7 })
  const project = '/api/v4/projects/acme%2Fweb'
  if (path === project) return ok({ id: 3, path_with_namespace: 'acme/web' })
  if (path === `${project}/issues` && method === 'POST')
    return ok(gitlabIssue(vendor, add(vendor, body.title, body.description)), 201)
  const [, number, rest] = /\/issues\/(\d+)(\/notes)?$/.exec(path) ?? []
  const issue = path.startsWith(project) ? vendor.issues.find((item) => String(item.number) === number) : undefined
  if (!issue) return notFound.gitlab
  if (rest) {
    issue.comments.push(String(body.body))
    return ok({ id: 500 + issue.comments.length, body: body.body }, 201)
  }
  if (method === 'PUT') issue.state = body.state_event === 'close' ? 'closed' : 'open'
  return ok(gitlabIssue(vendor, issue))
}

// ---- Jira

const jiraStatus = (state: TrackerState) => ({
  name: state === 'open' ? 'To Do' : 'Erledigt',
  statusCategory: { key: state === 'open' ? 'new' : 'done' },
})
const jiraIssue = (issue: Stored) => ({
  id: String(3000 + issue.number),
  key: `WEB-${issue.number}`,
  fields: { summary: issue.title, status: jiraStatus(issue.state) },
})

function jira(vendor: Vendor, { method, path, body }: Asked): Answer {
  if (path === '/rest/api/2/myself') return ok({ accountId: '7', displayName: 'Jay' })
  if (path === '/rest/api/2/project/WEB')
    return ok({
      key: 'WEB',
      issueTypes: [
        { id: '9', name: 'Sub-task', subtask: true },
        { id: '1', name: 'Bug', subtask: false },
      ],
    })
  if (path === '/rest/api/2/issue' && method === 'POST') {
    const created = jiraIssue(add(vendor, textIn(body.fields, 'summary'), textIn(body.fields, 'description')))
    return ok({ id: created.id, key: created.key }, 201)
  }
  const [, name, rest] = /^\/rest\/api\/2\/issue\/([\w-]+)(\/\w+)?/.exec(path) ?? []
  const issue = vendor.issues.find((item) => name === `WEB-${item.number}` || name === String(3000 + item.number))
  if (!issue) return notFound.jira
  if (rest === '/comment') {
    issue.comments.push(String(body.body))
    return ok({ id: String(500 + issue.comments.length) }, 201)
  }
  if (rest !== '/transitions') return ok(jiraIssue(issue))
  if (method === 'GET') {
    const open = { id: '11', name: 'Reopen', to: jiraStatus('open') }
    const close = { id: '31', name: 'Fertig', to: jiraStatus('closed') }
    return ok({ transitions: vendor.canClose ? [open, close] : [open] })
  }
  issue.state = textIn(body.transition, 'id') === '31' ? 'closed' : 'open'
  return { status: 204, body: undefined }
}

// ---- Linear

const linearIssue = (vendor: Vendor, issue: Stored) => ({
  id: `uuid-${issue.number}`,
  identifier: `WEB-${issue.number}`,
  title: issue.title,
  url: `${vendor.url}/acme/issue/WEB-${issue.number}`,
  state: issue.state === 'open' ? { id: 's1', type: 'unstarted' } : { id: 's2', type: 'completed' },
})

function linear(vendor: Vendor, { path, body }: Asked): Answer {
  if (path !== '/graphql') return { status: 404, body: 'no' }
  const query = String(body.query)
  const variables = (body.variables ?? {}) as Record<string, unknown>
  const input = (variables.input ?? {}) as Record<string, unknown>
  const data = (value: unknown) => ok({ data: value })
  if (query.includes('viewer')) return data({ viewer: { id: '7', name: 'Lin', email: 'lin@acme.test' } })
  if (query.includes('teams('))
    return data({ teams: { nodes: variables.key === 'WEB' ? [{ id: 'team-1', key: 'WEB' }] : [] } })
  if (query.includes('issueCreate'))
    return data({
      issueCreate: { success: true, issue: linearIssue(vendor, add(vendor, input.title, input.description)) },
    })
  const name = String(variables.id ?? input.issueId)
  const issue = vendor.issues.find((item) => [`uuid-${item.number}`, `WEB-${item.number}`].includes(name))
  if (!issue) return notFound.linear
  if (query.includes('commentCreate')) {
    issue.comments.push(String(input.body))
    return data({ commentCreate: { success: true, comment: { id: `c-${issue.comments.length}` } } })
  }
  if (query.includes('issueUpdate')) {
    issue.state = input.stateId === 's2' ? 'closed' : 'open'
    return data({ issueUpdate: { success: true } })
  }
  const nodes = [
    { id: 's0', type: 'started', position: 0 },
    { id: 's1', type: 'unstarted', position: 1 },
    ...(vendor.canClose ? [{ id: 's2', type: 'completed', position: 2 }] : []),
  ]
  return data({ issue: { ...linearIssue(vendor, issue), team: { states: { nodes } } } })
}

const services = { github, gitlab, jira, linear }

const tokenOf: Record<TrackerKind, (headers: IncomingMessage['headers']) => string> = {
  github: (headers) => (headers.authorization ?? '').replace('Bearer ', ''),
  gitlab: (headers) => String(headers['private-token'] ?? ''),
  jira: (headers) =>
    Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64')
      .toString()
      .split(':')[1] ?? '',
  linear: (headers) => headers.authorization ?? '',
}

async function answer(kind: TrackerKind, vendor: Vendor, request: IncomingMessage, response: ServerResponse) {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  const text = Buffer.concat(parts).toString()
  const asked: Asked = {
    method: request.method ?? '',
    path: (request.url ?? '').replace(/\?.*$/, ''),
    body: text ? (JSON.parse(text) as Record<string, unknown>) : {},
    headers: request.headers,
  }
  vendor.calls.push(asked)
  const isKnown = tokenOf[kind](request.headers) === goodToken
  const { status, body, headers } =
    vendor.fail.shift() ?? (isKnown ? services[kind](vendor, asked) : unauthorized[kind])
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body))
}

/** Starts a service on a free port of this machine. It ends with the tests of the file. */
export async function startVendor(kind: TrackerKind): Promise<Vendor> {
  const vendor: Vendor = { url: '', issues: [], calls: [], fail: [], canClose: true }
  const server = createServer((request, response) => void answer(kind, vendor, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  vendor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  afterAll(() => {
    server.close()
    server.closeAllConnections()
  })
  return vendor
}
