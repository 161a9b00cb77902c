import type { RequestError } from '@octokit/request-error'
import type { TrackerState } from '../domain/alerts/trackers.ts'
import type { Connection, Tracker, TrackerIssue } from './tracker.ts'
import { demanded, demandName, failureOf, fieldsOf, textOf } from './transport.ts'

/** The version of the API that the requests below are written for. */
const apiVersion = '2022-11-28'

function toIssue(target: string, value: unknown): TrackerIssue {
  const issue = fieldsOf(value)
  const externalId = demanded(issue.number, 'number of an issue')
  return {
    externalId,
    key: `${target}#${externalId}`,
    title: textOf(issue.title),
    url: textOf(issue.html_url),
    state: issue.state === 'closed' ? 'closed' : 'open',
  }
}

/** The number of an issue in `#12`, `acme/web#12`, `12` or the address of its page. */
function githubNumber(target: string, name: string): string | undefined {
  const [, repository, number] =
    /^(?:(?:https?:\/\/[^/]+\/)?([\w.-]+\/[\w.-]+?)(?:#|\/issues\/))?#?(\d{1,12})(?:[?#].*)?$/.exec(name.trim()) ?? []
  return repository === undefined || repository.toLowerCase() === target.toLowerCase() ? number : undefined
}

/** GitHub and GitHub Enterprise Server, through GitHub's own client for requests. */
export function github(connection: Connection, nowMs: () => number): Tracker {
  const { url, target, token, fetch } = connection
  const [owner = '', repo = ''] = target.split('/')
  const options = {
    baseUrl: url,
    headers: { authorization: `Bearer ${token}`, 'user-agent': 'Mishap', 'x-github-api-version': apiVersion },
    request: { fetch },
  }
  const run = async (route: string, values: Record<string, unknown> = {}): Promise<unknown> => {
    // Loaded with the first call: 2 MB that only a connected installation needs.
    const { request } = await import('@octokit/request')
    const errors = await import('@octokit/request-error')
    try {
      const { status, headers, data } = await request.defaults(options)(route, values)
      // The client throws from 400 on.
      if (status < 200 || status > 299) throw failureOf(status, headersOf(headers), data, nowMs())
      return data
    } catch (error) {
      if (!(error instanceof errors.RequestError)) throw error
      if (!error.response) throw originalOf(error)
      throw failureOf(error.status, headersOf(error.response.headers), error.response.data, nowMs())
    }
  }
  const issue = { owner, repo }
  return {
    check: async () => {
      const user = fieldsOf(await run('GET /user'))
      const account = { account: demanded(user.login, 'account'), accountId: demanded(user.id, 'account') }
      const repository = fieldsOf(await run('GET /repos/{owner}/{repo}', issue))
      demandName(target, demanded(repository.full_name, 'name of a repository'))
      return account
    },
    idOf: (name) => githubNumber(target, name),
    create: async ({ title, body }) =>
      toIssue(target, await run('POST /repos/{owner}/{repo}/issues', { ...issue, title, body })),
    issue: async (id) =>
      toIssue(target, await run('GET /repos/{owner}/{repo}/issues/{issue_number}', { ...issue, issue_number: id })),
    setState: async (id, state: TrackerState) => {
      const reason = state === 'closed' ? 'completed' : 'reopened'
      const values = { ...issue, issue_number: id, state, state_reason: reason }
      toIssue(target, await run('PATCH /repos/{owner}/{repo}/issues/{issue_number}', values))
    },
    comment: async (id, body) =>
      demanded(
        fieldsOf(
          await run('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', { ...issue, issue_number: id, body }),
        ).id,
        'id of a comment',
      ),
  }
}

const headersOf = (headers: object): Headers =>
  new Headers(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
  )

/** The error of our transport, which the client wraps. */
const originalOf = (error: RequestError): unknown => error.cause ?? error
