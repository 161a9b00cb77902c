import type { TrackerState } from '../domain/alerts/trackers.ts'
import { type Connection, type Tracker, TrackerFailure, type TrackerIssue } from './tracker.ts'
import { callJson, demanded, fieldsOf, listOf, textOf } from './transport.ts'

/** Categories of Jira's statuses: `done` is closed whatever the status is called. */
const categoryOf = (status: unknown): string => textOf(fieldsOf(fieldsOf(status).statusCategory).key)
export const jiraState = (status: unknown): TrackerState => (categoryOf(status) === 'done' ? 'closed' : 'open')

function toIssue(url: string, value: unknown): TrackerIssue {
  const issue = fieldsOf(value)
  const fields = fieldsOf(issue.fields)
  const key = demanded(issue.key, 'key of an issue')
  // Keys change when an issue moves to another project; ids stay.
  return {
    externalId: demanded(issue.id, 'id of an issue'),
    key,
    title: textOf(fields.summary),
    url: `${url}/browse/${key}`,
    state: jiraState(fields.status),
  }
}

/** The type of new issues: Bug if the project has it, else its first type that is no subtask. */
function issueTypeOf(project: unknown): string {
  const types = listOf(fieldsOf(project).issueTypes)
    .map(fieldsOf)
    .filter((type) => type.subtask !== true)
  const chosen = types.find((type) => textOf(type.name).toLowerCase() === 'bug') ?? types[0]
  if (!chosen) throw new TrackerFailure('refused', 'The project has no issue type.')
  return textOf(chosen.id)
}

/** Jira's cloud with e-mail and token, and a Jira server with a personal token. Version 2 of its API serves both. */
export function jira({ url, target, email, token, fetch }: Connection, nowMs: () => number): Tracker {
  const authorization =
    email === '' ? `Bearer ${token}` : `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}`
  const call = (path: string, method = 'GET', body?: unknown) =>
    callJson(fetch, `${url}/rest/api/2/${path}`, { method, headers: { authorization }, body, nowMs: nowMs() })
  const project = encodeURIComponent(target)
  const issue = async (id: string) => toIssue(url, await call(`issue/${encodeURIComponent(id)}?fields=summary,status`))
  return {
    check: async () => {
      const user = fieldsOf(await call('myself'))
      issueTypeOf(await call(`project/${project}`))
      const accountId = demanded(textOf(user.accountId) || textOf(user.key), 'account')
      return { account: demanded(textOf(user.displayName) || textOf(user.name), 'account'), accountId }
    },
    idOf: (name) => {
      const key = /(?:^|\/browse\/)([A-Z][A-Z0-9_]{0,40}-\d{1,10})(?:[?#].*)?$/i.exec(name.trim())?.[1]
      return key?.toUpperCase()
    },
    create: async ({ title, body }) => {
      const type = issueTypeOf(await call(`project/${project}`))
      const fields = { project: { key: target }, issuetype: { id: type }, summary: title, description: body }
      return issue(demanded(fieldsOf(await call('issue', 'POST', { fields })).id, 'id of an issue'))
    },
    issue,
    setState: async (id, state) => {
      if ((await issue(id)).state === state) return
      const path = `issue/${encodeURIComponent(id)}/transitions`
      const transitions = listOf(fieldsOf(await call(path)).transitions).map(fieldsOf)
      const wanted = state === 'closed' ? ['done'] : ['new', 'indeterminate']
      const found = wanted.flatMap((category) => transitions.filter((item) => categoryOf(item.to) === category))[0]
      if (!found)
        throw new TrackerFailure(
          'refused',
          `No transition of the workflow leads to ${state === 'closed' ? 'a done' : 'an open'} status.`,
        )
      await call(path, 'POST', { transition: { id: textOf(found.id) } })
    },
    comment: async (id, body) =>
      demanded(fieldsOf(await call(`issue/${encodeURIComponent(id)}/comment`, 'POST', { body })).id, 'id of a comment'),
  }
}
