import { describe, expect, test } from 'vitest'
import { type TrackerKind, trackerKinds } from '../domain/alerts/trackers.ts'
import { deliveryId, type HookEvent, hookEvents } from './delivery.ts'

const nowMs = 1_795_000_000_000
const of = (kind: TrackerKind) => ({ kind, target: kind === 'jira' || kind === 'linear' ? 'WEB' : 'acme/web' })
const sha = 'a'.repeat(40)

/** Payloads with the fields that the services document and that Mishap reads. */
const githubRepository = { full_name: 'acme/web', html_url: 'https://github.com/acme/web', default_branch: 'main' }
const gitlabProject = {
  path_with_namespace: 'acme/web',
  web_url: 'https://gitlab.com/acme/web',
  default_branch: 'main',
}
const pushedCommit = {
  id: sha,
  message: 'Fixes WEB-1',
  timestamp: '2026-11-01T10:00:00Z',
  author: { name: 'Ann', email: 'ann@x.test' },
  added: ['src/new.ts'],
  modified: ['src/a.ts'],
  removed: ['src/old.ts'],
}
const storedCommit = {
  repository: 'acme/web',
  sha,
  message: 'Fixes WEB-1',
  authorName: 'Ann',
  authorEmail: 'ann@x.test',
  atMs: Date.parse('2026-11-01T10:00:00Z'),
  files: [
    { path: 'src/new.ts', type: 'A' },
    { path: 'src/a.ts', type: 'M' },
    { path: 'src/old.ts', type: 'D' },
  ],
  filesOmitted: 0,
}
const place = (url: string) => ({ type: 'commits', repository: 'acme/web', url }) as const

// https://docs.github.com/en/webhooks/webhook-events-and-payloads
describe('GitHub', () => {
  const read = (name: string, payload: unknown) =>
    hookEvents(of('github'), new Headers({ 'x-github-event': name }), payload, nowMs)
  const head = { repository: githubRepository, sender: { id: 7, login: 'octo' } }

  test.each<[action: string, events: HookEvent[]]>([
    ['closed', [{ type: 'state', externalId: '12', state: 'closed', actorId: '7' }]],
    ['reopened', [{ type: 'state', externalId: '12', state: 'open', actorId: '7' }]],
    ['opened', []],
    ['labeled', []],
    ['deleted', []],
  ])('an issue that was %s', (action, events) => {
    expect(read('issues', { ...head, action, issue: { number: 12, state: 'closed' } })).toEqual(events)
  })

  test('a comment', () => {
    const comment = { id: 99, body: 'Seen', user: { login: 'octo' } }
    const payload = { ...head, action: 'created', issue: { number: 12 }, comment }
    expect(read('issue_comment', payload)).toEqual([
      { type: 'comment', externalId: '12', commentId: '99', text: 'Seen', author: 'octo', actorId: '7' },
    ])
    expect(read('issue_comment', { ...payload, action: 'edited' })).toEqual([])
  })

  test.each([
    ['refs/heads/main', true],
    ['refs/heads/feature/main', false],
    ['refs/tags/main', false],
  ])('a push to %s', (ref, isDefault) => {
    expect(read('push', { ...head, ref, commits: [pushedCommit] })).toEqual([
      { ...place('https://github.com/acme/web'), isDefault, commits: [storedCommit] },
    ])
  })

  test('a merged pull request is its merge commit; one that was only closed is nothing', () => {
    const pull = {
      merged: true,
      merge_commit_sha: sha,
      title: 'Mend it',
      body: 'Fixes WEB-1',
      user: { login: 'octo' },
      base: { ref: 'main' },
    }
    const merge = { ...storedCommit, message: 'Mend it\n\nFixes WEB-1', authorName: 'octo', authorEmail: '' }
    expect(read('pull_request', { ...head, action: 'closed', pull_request: pull })).toEqual([
      {
        ...place('https://github.com/acme/web'),
        isDefault: true,
        commits: [{ ...merge, atMs: nowMs, files: undefined }],
      },
    ])
    expect(read('pull_request', { ...head, action: 'closed', pull_request: { ...pull, merged: false } })).toEqual([])
    expect(read('pull_request', { ...head, action: 'opened', pull_request: pull })).toEqual([])
  })

  test('a ping and an unknown event are nothing', () => {
    expect([
      read('ping', { ...head, zen: 'x' }),
      read('star', head),
      hookEvents(of('github'), new Headers(), head, 0),
    ]).toEqual([[], [], []])
  })
})

// https://docs.gitlab.com/user/project/integrations/webhook_events/
describe('GitLab', () => {
  const read = (payload: unknown) => hookEvents(of('gitlab'), new Headers(), payload, nowMs)
  const head = { project: gitlabProject, user: { id: 7, username: 'tanuki', name: 'Tanuki' } }

  test.each<[action: string, state: string | undefined]>([
    ['close', 'closed'],
    ['reopen', 'open'],
    ['update', undefined],
    ['open', undefined],
  ])('an issue with %s', (action, state) => {
    const events = read({ ...head, object_kind: 'issue', object_attributes: { iid: 12, action } })
    expect(events).toEqual(state ? [{ type: 'state', externalId: '12', state, actorId: '7' }] : [])
  })

  test('a comment on an issue, not on a merge request, and not one of the system', () => {
    const note = { id: 99, note: 'Seen', noteable_type: 'Issue', action: 'create', system: false }
    const payload = { ...head, object_kind: 'note', object_attributes: note, issue: { iid: 12 } }
    expect(read(payload)).toEqual([
      { type: 'comment', externalId: '12', commentId: '99', text: 'Seen', author: 'tanuki', actorId: '7' },
    ])
    for (const change of [{ noteable_type: 'MergeRequest' }, { system: true }, { action: 'update' }])
      expect(read({ ...payload, object_attributes: { ...note, ...change } })).toEqual([])
  })

  test('a push and a merged request', () => {
    expect(read({ ...head, object_kind: 'push', ref: 'refs/heads/main', commits: [pushedCommit] })).toEqual([
      { ...place('https://gitlab.com/acme/web'), isDefault: true, commits: [storedCommit] },
    ])
    const attributes = { action: 'merge', merge_commit_sha: sha, title: 'T', description: 'D', target_branch: 'next' }
    const merged = read({ ...head, object_kind: 'merge_request', object_attributes: attributes })
    expect(merged).toMatchObject([{ isDefault: false, commits: [{ sha, message: 'T\n\nD', authorName: 'Tanuki' }] }])
    // A fast-forward has no merge commit: the last commit of the request is the one.
    const { merge_commit_sha: _sha, ...fast } = attributes
    const forwarded = { ...fast, last_commit: { id: 'b'.repeat(40) } }
    expect(read({ ...head, object_kind: 'merge_request', object_attributes: forwarded })).toMatchObject([
      { commits: [{ sha: 'b'.repeat(40) }] },
    ])
  })
})

// https://developer.atlassian.com/cloud/jira/platform/webhooks/
describe('Jira', () => {
  const read = (payload: unknown) => hookEvents(of('jira'), new Headers(), payload, nowMs)
  const issue = (category: string) => ({
    id: '3001',
    key: 'WEB-1',
    fields: { summary: 'x', status: { name: 'Erledigt', statusCategory: { key: category } } },
  })
  const user = { accountId: '7' }

  test.each([
    ['done', 'closed'],
    ['new', 'open'],
    ['indeterminate', 'open'],
  ])('a status of the category %s is %s', (category, state) => {
    const changelog = { items: [{ field: 'status', fromString: 'a', toString: 'b' }] }
    const payload = { webhookEvent: 'jira:issue_updated', user, issue: issue(category), changelog }
    expect(read(payload)).toEqual([{ type: 'state', externalId: '3001', state, actorId: '7' }])
  })

  test('another change and another event are nothing; a server names people by key', () => {
    const changelog = { items: [{ field: 'summary' }] }
    expect(read({ webhookEvent: 'jira:issue_updated', user, issue: issue('done'), changelog })).toEqual([])
    const status = { items: [{ field: 'status' }] }
    expect(read({ webhookEvent: 'jira:issue_created', user, issue: issue('done'), changelog: status })).toEqual([])
    const server = { webhookEvent: 'jira:issue_updated', user: { key: 'jay' }, issue: issue('done'), changelog: status }
    expect(read(server)).toMatchObject([{ actorId: 'jay' }])
  })

  test('a comment', () => {
    const comment = { id: '99', body: 'Seen', author: { accountId: '7', displayName: 'Jay' } }
    expect(read({ webhookEvent: 'comment_created', issue: issue('new'), comment })).toEqual([
      { type: 'comment', externalId: '3001', commentId: '99', text: 'Seen', author: 'Jay', actorId: '7' },
    ])
  })
})

// https://linear.app/developers/webhooks
describe('Linear', () => {
  const read = (payload: unknown) => hookEvents(of('linear'), new Headers(), payload, nowMs)
  const actor = { id: '7', name: 'Lin' }

  test.each([
    ['completed', 'closed'],
    ['canceled', 'closed'],
    ['duplicate', 'closed'],
    ['unstarted', 'open'],
    ['triage', 'open'],
  ])('a state of type %s is %s', (type, state) => {
    const data = { id: 'uuid-1', state: { id: 's', type } }
    const payload = { type: 'Issue', action: 'update', actor, data, updatedFrom: { stateId: 'before' } }
    expect(read(payload)).toEqual([{ type: 'state', externalId: 'uuid-1', state, actorId: '7' }])
    expect(read({ ...payload, updatedFrom: { title: 'before' } })).toEqual([])
    expect(read({ ...payload, action: 'remove' })).toEqual([])
  })

  test('a comment', () => {
    const data = { id: 'c-1', body: 'Seen', issueId: 'uuid-1' }
    expect(read({ type: 'Comment', action: 'create', actor, data })).toEqual([
      { type: 'comment', externalId: 'uuid-1', commentId: 'c-1', text: 'Seen', author: 'Lin', actorId: '7' },
    ])
    expect(read({ type: 'Comment', action: 'update', actor, data })).toEqual([])
  })
})

describe('hostile payloads', () => {
  const values = [null, 5, 'x', [], [[]], { issue: [], repository: 7 }, { object_kind: 'push', project: 'x' }]
  test.each(trackerKinds)('%s reads nothing from them and does not throw', (kind) => {
    for (const name of ['issues', 'issue_comment', 'push', 'pull_request'])
      for (const value of values)
        expect(hookEvents(of(kind), new Headers({ 'x-github-event': name }), value, nowMs)).toEqual([])
  })

  test('commits without a hash are left out, texts and lists are cut', () => {
    const commits = [
      { ...pushedCommit, id: '../../x' },
      { ...pushedCommit, id: 5 },
      {
        ...pushedCommit,
        message: 'm'.repeat(20_000),
        timestamp: 'soon',
        author: 'Ann',
        added: Array.from({ length: 400 }, (_, at) => `f${at}`),
        modified: [null, '', 'x'.repeat(501)],
        removed: 'all',
      },
    ]
    const payload = { ref: 'refs/heads/main', repository: githubRepository, commits }
    const [event] = hookEvents(of('github'), new Headers({ 'x-github-event': 'push' }), payload, nowMs)
    if (event?.type !== 'commits') throw new Error('no commits')
    expect(event.commits.length).toBe(1)
    const [commit] = event.commits
    expect([commit?.message.length, commit?.atMs, commit?.authorName]).toEqual([8_000, nowMs, ''])
    expect([commit?.files?.length, commit?.filesOmitted]).toEqual([300, 100])
  })

  test('at most 2,048 commits of a push', () => {
    const commits = Array.from({ length: 2_100 }, (_, at) => ({
      ...pushedCommit,
      id: at.toString(16).padStart(40, '0'),
    }))
    const payload = { ref: 'refs/heads/main', repository: githubRepository, commits }
    const [event] = hookEvents(of('github'), new Headers({ 'x-github-event': 'push' }), payload, nowMs)
    expect(event?.type === 'commits' && event.commits.length).toBe(2_048)
  })
})

test.each([
  ['github', 'X-GitHub-Delivery'],
  ['gitlab', 'Idempotency-Key'],
  ['gitlab', 'X-Gitlab-Event-UUID'],
  ['jira', 'X-Atlassian-Webhook-Identifier'],
  ['linear', 'Linear-Delivery'],
] as const)('%s names a delivery in %s', (kind, name) => {
  const id = '72d3162e-cc78-11e3-81ab-4c9367dc0958'
  const body = new TextEncoder().encode('{}')
  expect(deliveryId(kind, new Headers({ [name]: id }), body)).toBe(id)
  // Without one, or with one that is no id, the body is the id.
  const own = deliveryId(kind, new Headers(), body)
  expect(own).toMatch(/^[0-9a-f]{64}$/)
  expect(deliveryId(kind, new Headers({ [name]: '../etc' }), body)).toBe(own)
  expect(deliveryId(kind, new Headers(), new TextEncoder().encode('{} '))).not.toBe(own)
})

test('a GitLab project is recognized by its number, too', () => {
  const user = { id: 7, username: 'tanuki' }
  const closed = (project: object) => ({
    object_kind: 'issue',
    object_attributes: { iid: 12, action: 'close' },
    project,
    user,
  })
  const read = (target: string, project: object) =>
    hookEvents({ kind: 'gitlab', target }, new Headers(), closed(project), nowMs)
  expect(read('42', { ...gitlabProject, id: 42 })).toEqual([
    { type: 'state', externalId: '12', state: 'closed', actorId: '7' },
  ])
  expect(read('acme/web', { ...gitlabProject, id: 42 })).toHaveLength(1)
  expect(read('43', { ...gitlabProject, id: 42 })).toEqual([])
  // A project without a number in the payload is not the one whose target is empty.
  expect(read('', { ...gitlabProject, id: 42 })).toEqual([])
})
