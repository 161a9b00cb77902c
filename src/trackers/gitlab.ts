import type { RequestOptions, ResourceOptions } from '@gitbeaker/requester-utils'
import type { Connection, Tracker, TrackerIssue } from './tracker.ts'
import { demanded, demandName, failureOf, fieldsOf, textOf } from './transport.ts'

function toIssue(target: string, value: unknown): TrackerIssue {
  const issue = fieldsOf(value)
  const externalId = demanded(issue.iid, 'number of an issue')
  return {
    externalId,
    key: `${target}#${externalId}`,
    title: textOf(issue.title),
    url: textOf(issue.web_url),
    state: issue.state === 'closed' ? 'closed' : 'open',
  }
}

/** The number of an issue in `#12`, `group/web#12`, `12` or the address of its page. */
function gitlabNumber(target: string, name: string): string | undefined {
  const [, path, number] =
    /^(?:(?:https?:\/\/[^/]+\/)?([\w.-]+(?:\/[\w.-]+)+?)(?:#|\/-\/(?:issues|work_items)\/))?#?(\d{1,12})(?:[?#].*)?$/.exec(
      name.trim(),
    ) ?? []
  // A GitLab below a path has that path in front of the project's.
  return path === undefined ||
    path.toLowerCase() === target.toLowerCase() ||
    path.toLowerCase().endsWith(`/${target.toLowerCase()}`)
    ? number
    : undefined
}

/** The body of an answer; its text if it is not JSON, which a broken server can call JSON. */
function bodyOf(text: string, isJson: boolean): Record<string, unknown> | string {
  try {
    return isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : text
  } catch {
    return text
  }
}

/** The client's requests through the guarded client. Its own transport would call any address. */
async function requesterOf(fetch: typeof globalThis.fetch, nowMs: () => number) {
  const { createRequesterFn } = await import('@gitbeaker/requester-utils')
  return createRequesterFn(
    async (_resource: ResourceOptions, request: RequestOptions) => request,
    async (endpoint: string, options?: Record<string, unknown>) => {
      const base = textOf(options?.prefixUrl)
      const search = textOf(options?.searchParams)
      const { method, headers, body } = fieldsOf(options)
      const url = `${base.replace(/\/*$/, '/')}${endpoint}${search === '' ? '' : `?${search}`}`
      const answer = await fetch(url, {
        method: textOf(method) || 'GET',
        headers: headers as Record<string, string>,
        ...(typeof body === 'string' ? { body } : {}),
      })
      const text = await answer.text()
      const isJson = (answer.headers.get('content-type') ?? '').includes('json')
      const value = bodyOf(text, isJson)
      if (!answer.ok) throw failureOf(answer.status, answer.headers, value, nowMs())
      return { body: value, headers: Object.fromEntries(answer.headers.entries()), status: answer.status }
    },
  )
}

/** GitLab and self-managed GitLab, through the core of its maintained client. */
export function gitlab({ url, target, token, fetch }: Connection, nowMs: () => number): Tracker {
  const api = async () => {
    // Loaded with the first call: 8 MB, which only a connected installation needs.
    const { Gitlab } = await import('@gitbeaker/core')
    return new Gitlab({ host: url, token, requesterFn: await requesterOf(fetch, nowMs) })
  }
  return {
    check: async () => {
      const { Users, Projects } = await api()
      const user = fieldsOf(await Users.showCurrentUser())
      const account = { account: demanded(user.username, 'account'), accountId: demanded(user.id, 'account') }
      const path = demanded(fieldsOf(await Projects.show(target)).path_with_namespace, 'path of a project')
      // People and webhooks name a project by its path. A number would be of no use on any screen.
      if (/^\d+$/.test(target)) return { ...account, target: path }
      demandName(target, path)
      return account
    },
    idOf: (name) => gitlabNumber(target, name),
    create: async ({ title, body }) =>
      toIssue(target, await (await api()).Issues.create(target, title, { description: body })),
    issue: async (id) => toIssue(target, await (await api()).Issues.show(Number(id), { projectId: target })),
    setState: async (id, state) => {
      const change = { stateEvent: state === 'closed' ? ('close' as const) : ('reopen' as const) }
      toIssue(target, await (await api()).Issues.edit(target, Number(id), change))
    },
    comment: async (id, text) =>
      demanded(fieldsOf(await (await api()).IssueNotes.create(target, Number(id), text)).id, 'id of a comment'),
  }
}
