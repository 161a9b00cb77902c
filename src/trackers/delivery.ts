import { createHash } from 'node:crypto'
import type { TrackerKind, TrackerState } from '../domain/alerts/trackers.ts'
import type { NewCommit } from '../store/meta/releases/commits.ts'
import { jiraState } from './jira.ts'
import { linearState } from './linear.ts'
import { line } from './text.ts'
import { fieldsOf, listOf, textOf } from './transport.ts'

/** What a delivery says, in one form for all services. Texts are hostile: whoever has the secret can write anything. */
export type HookEvent =
  | { type: 'state'; externalId: string; state: TrackerState; actorId: string }
  | { type: 'comment'; externalId: string; commentId: string; text: string; author: string; actorId: string }
  | { type: 'commits'; repository: string; url: string; isDefault: boolean; commits: NewCommit[] }

/** GitHub reports at most 2,048 commits of a push, GitLab 20. */
const commitsMax = 2_048
const filesMax = 300
const pathCharactersMax = 500
const messageCharactersMax = 8_000

type Fields = Record<string, unknown>

/** The id of a delivery, so that a repeated delivery is ignored. Without an id the body itself takes its place. */
export function deliveryId(kind: TrackerKind, headers: Headers, body: Uint8Array): string {
  const names: Record<TrackerKind, string[]> = {
    github: ['x-github-delivery'],
    gitlab: ['idempotency-key', 'webhook-id', 'x-gitlab-event-uuid'],
    jira: ['x-atlassian-webhook-identifier'],
    linear: ['linear-delivery'],
  }
  const id = names[kind]
    .map((name) => headers.get(name))
    .find((value) => value !== null && /^[\w-]{8,100}$/.test(value))
  return id ?? createHash('sha256').update(body).digest('hex')
}

const shaOf = (value: unknown) => (/^[0-9a-f]{40,64}$/.test(textOf(value)) ? textOf(value) : '')

/** The files of a commit as GitHub and GitLab list them. */
function filesOf(commit: Fields): Pick<NewCommit, 'files' | 'filesOmitted'> {
  const lists = [
    ['added', 'A'],
    ['modified', 'M'],
    ['removed', 'D'],
  ] as const
  const all = lists.flatMap(([name, type]) =>
    listOf(commit[name])
      .map(textOf)
      .filter((path) => path !== '' && path.length <= pathCharactersMax)
      .map((path) => ({ path, type })),
  )
  return { files: all.slice(0, filesMax), filesOmitted: Math.max(0, all.length - filesMax) }
}

function commitsIn(payload: Fields, repository: string, nowMs: number): NewCommit[] {
  return listOf(payload.commits)
    .slice(0, commitsMax)
    .map(fieldsOf)
    .filter((commit) => shaOf(commit.id) !== '')
    .map((commit) => {
      const { name, email } = fieldsOf(commit.author)
      const atMs = Date.parse(textOf(commit.timestamp))
      return {
        repository,
        sha: shaOf(commit.id),
        message: textOf(commit.message).slice(0, messageCharactersMax),
        authorName: line(textOf(name), 128),
        authorEmail: line(textOf(email), 128),
        atMs: Number.isFinite(atMs) ? atMs : nowMs,
        ...filesOf(commit),
      }
    })
}

type Merged = {
  repository: string
  url: string
  isDefault: boolean
  sha: unknown
  title: unknown
  text: unknown
  author: unknown
}

/** A merged pull request is its merge commit with the request's text, which may say what it fixes. */
function mergedEvent({ repository, url, isDefault, sha, title, text, author }: Merged, nowMs: number): HookEvent[] {
  if (shaOf(sha) === '' || repository === '') return []
  const message = `${textOf(title)}\n\n${textOf(text)}`.slice(0, messageCharactersMax)
  const authorName = line(textOf(author), 128)
  const commit = {
    repository,
    sha: shaOf(sha),
    message,
    authorName,
    authorEmail: '',
    atMs: nowMs,
    files: undefined,
    filesOmitted: 0,
  }
  return [{ type: 'commits', repository, url, isDefault, commits: [commit] }]
}

/** Whether a branch is the default one of its repository. */
const isBranch = (ref: unknown, main: unknown) =>
  textOf(main) !== '' && textOf(ref).replace(/^refs\/heads\//, '') === main

/** https://docs.github.com/en/webhooks/webhook-events-and-payloads */
function githubEvents(headers: Headers, payload: Fields, nowMs: number): HookEvent[] {
  const name = headers.get('x-github-event')
  const { action } = payload
  const repository = fieldsOf(payload.repository)
  const place = { repository: textOf(repository.full_name), url: textOf(repository.html_url) }
  const issue = fieldsOf(payload.issue)
  const actorId = textOf(fieldsOf(payload.sender).id)
  const externalId = textOf(issue.number)
  if (name === 'issues' && (action === 'closed' || action === 'reopened'))
    return [{ type: 'state', externalId, state: action === 'closed' ? 'closed' : 'open', actorId }]
  if (name === 'issue_comment' && action === 'created') {
    const comment = fieldsOf(payload.comment)
    const author = textOf(fieldsOf(comment.user).login)
    return [{ type: 'comment', externalId, commentId: textOf(comment.id), text: textOf(comment.body), author, actorId }]
  }
  if (name === 'push' && place.repository !== '')
    return [
      {
        type: 'commits',
        ...place,
        isDefault: isBranch(payload.ref, repository.default_branch),
        commits: commitsIn(payload, place.repository, nowMs),
      },
    ]
  const pull = fieldsOf(payload.pull_request)
  if (name === 'pull_request' && action === 'closed' && pull.merged === true)
    return mergedEvent(
      {
        ...place,
        isDefault: isBranch(fieldsOf(pull.base).ref, repository.default_branch),
        sha: pull.merge_commit_sha,
        title: pull.title,
        text: pull.body,
        author: fieldsOf(pull.user).login,
      },
      nowMs,
    )
  return []
}

/** https://docs.gitlab.com/user/project/integrations/webhook_events/ */
function gitlabEvents(_headers: Headers, payload: Fields, nowMs: number): HookEvent[] {
  const attributes = fieldsOf(payload.object_attributes)
  const project = fieldsOf(payload.project)
  const place = { repository: textOf(project.path_with_namespace), url: textOf(project.web_url) }
  const user = fieldsOf(payload.user)
  const actorId = textOf(user.id)
  const { object_kind: kind } = payload
  const { action } = attributes
  if (kind === 'issue' && (action === 'close' || action === 'reopen'))
    return [
      { type: 'state', externalId: textOf(attributes.iid), state: action === 'close' ? 'closed' : 'open', actorId },
    ]
  if (kind === 'note' && attributes.noteable_type === 'Issue' && attributes.system !== true && action !== 'update') {
    const externalId = textOf(fieldsOf(payload.issue).iid)
    const author = textOf(user.username)
    return [
      { type: 'comment', externalId, commentId: textOf(attributes.id), text: textOf(attributes.note), author, actorId },
    ]
  }
  if (kind === 'push' && place.repository !== '')
    return [
      {
        type: 'commits',
        ...place,
        isDefault: isBranch(payload.ref, project.default_branch),
        commits: commitsIn(payload, place.repository, nowMs),
      },
    ]
  if (kind === 'merge_request' && action === 'merge')
    return mergedEvent(
      {
        ...place,
        isDefault: isBranch(attributes.target_branch, project.default_branch),
        sha: attributes.merge_commit_sha ?? fieldsOf(attributes.last_commit).id,
        title: attributes.title,
        text: attributes.description,
        author: user.name,
      },
      nowMs,
    )
  return []
}

/** https://developer.atlassian.com/cloud/jira/platform/webhooks/ */
function jiraEvents(_headers: Headers, payload: Fields): HookEvent[] {
  const issue = fieldsOf(payload.issue)
  const externalId = textOf(issue.id)
  const personOf = (value: unknown) => textOf(fieldsOf(value).accountId) || textOf(fieldsOf(value).key)
  const { webhookEvent: name } = payload
  if (name === 'comment_created') {
    const comment = fieldsOf(payload.comment)
    const author = textOf(fieldsOf(comment.author).displayName)
    const actorId = personOf(comment.author)
    return [{ type: 'comment', externalId, commentId: textOf(comment.id), text: textOf(comment.body), author, actorId }]
  }
  const isStatus = listOf(fieldsOf(payload.changelog).items).some((item) => fieldsOf(item).field === 'status')
  if (name !== 'jira:issue_updated' || !isStatus) return []
  const state = jiraState(fieldsOf(issue.fields).status)
  return [{ type: 'state', externalId, state, actorId: personOf(payload.user) }]
}

/** https://linear.app/developers/webhooks */
function linearEvents(_headers: Headers, payload: Fields): HookEvent[] {
  const data = fieldsOf(payload.data)
  const actor = fieldsOf(payload.actor)
  const actorId = textOf(actor.id)
  if (payload.type === 'Comment' && payload.action === 'create') {
    const externalId = textOf(data.issueId) || textOf(fieldsOf(data.issue).id)
    const author = textOf(actor.name) || textOf(fieldsOf(data.user).name)
    return [{ type: 'comment', externalId, commentId: textOf(data.id), text: textOf(data.body), author, actorId }]
  }
  if (payload.type !== 'Issue' || payload.action !== 'update' || !('stateId' in fieldsOf(payload.updatedFrom)))
    return []
  return [{ type: 'state', externalId: textOf(data.id), state: linearState(data.state), actorId }]
}

const readers: Readonly<Record<TrackerKind, (headers: Headers, payload: Fields, nowMs: number) => HookEvent[]>> = {
  github: githubEvents,
  gitlab: gitlabEvents,
  jira: jiraEvents,
  linear: linearEvents,
}

/** The names of the repository or project of a delivery, for services that number the issues of each one from 1. */
const placesOf: Readonly<Record<TrackerKind, ((payload: Fields) => string[]) | undefined>> = {
  github: (payload) => [textOf(fieldsOf(payload.repository).full_name)],
  // Connections of earlier versions can name a project by its number.
  gitlab: ({ project }) => [textOf(fieldsOf(project).path_with_namespace), textOf(fieldsOf(project).id)],
  // Ids of these are unique in the whole site.
  jira: undefined,
  linear: undefined,
}

/**
 * Reads a delivery whose signature was checked. Empty: nothing that Mishap handles. A webhook of a whole organization
 * reports other repositories, too: their commits count, but their issue 12 is not the issue 12 of `target`. Older
 * servers of Jira leave the issue of a comment out, and links that are being created have no id either.
 */
export function hookEvents(
  { kind, target }: { kind: TrackerKind; target: string },
  headers: Headers,
  payload: unknown,
  nowMs: number,
): HookEvent[] {
  const fields = fieldsOf(payload)
  const places = placesOf[kind]?.(fields) ?? [target]
  const isOfTarget = places.some((place) => place.toLowerCase() === target.toLowerCase())
  return readers[kind](headers, fields, nowMs).filter(
    (event) => event.type === 'commits' || (isOfTarget && event.externalId !== ''),
  )
}
