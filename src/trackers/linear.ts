import type { TrackerState } from '../domain/alerts/trackers.ts'
import { type Connection, type Tracker, TrackerFailure, type TrackerIssue } from './tracker.ts'
import { callJson, demanded, fieldsOf, listOf, textOf, wordsOf } from './transport.ts'

/** Types of Linear's workflow states that end an issue. */
const closedTypes = ['completed', 'canceled', 'duplicate']
export const linearState = (state: unknown): TrackerState =>
  closedTypes.includes(textOf(fieldsOf(state).type)) ? 'closed' : 'open'

const fields = 'id identifier title url state { id type }'

function toIssue(value: unknown): TrackerIssue {
  const issue = fieldsOf(value)
  if (textOf(issue.id) === '') throw new TrackerFailure('missing', 'Linear has no such issue.')
  return {
    externalId: textOf(issue.id),
    key: demanded(issue.identifier, 'key of an issue'),
    title: textOf(issue.title),
    url: textOf(issue.url),
    state: linearState(issue.state),
  }
}

/** GraphQL answers errors with status 200 or 400 and a code of their own. */
function graphqlFailure(value: unknown): TrackerFailure | undefined {
  const [first] = listOf(fieldsOf(value).errors)
  if (!first) return undefined
  const { message, extensions } = fieldsOf(first)
  const { code, userPresentableMessage } = fieldsOf(extensions)
  const words = wordsOf(200, textOf(userPresentableMessage) || textOf(message))
  if (code === 'AUTHENTICATION_ERROR') return new TrackerFailure('token', words)
  if (code === 'RATELIMITED') return new TrackerFailure('limited', words, 60_000)
  return new TrackerFailure(code === 'ENTITY_NOT_FOUND' ? 'missing' : 'refused', words)
}

type Ask = (query: string, variables?: Record<string, unknown>) => Promise<Record<string, unknown>>

/** Sends a question and returns its data. Throws TrackerFailure by the codes of the errors in the answer. */
function asking({ url, token, fetch }: Connection, nowMs: () => number): Ask {
  return async (query: string, variables: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
    // Linear answers 400 with the errors in the body, so the status alone would hide their codes.
    const kept: { body?: unknown } = {}
    const reading: typeof globalThis.fetch = async (input, init) => {
      const answer = await fetch(input, init)
      kept.body = await answer
        .clone()
        .json()
        .catch(() => undefined)
      return answer
    }
    let value: unknown
    try {
      const headers = { authorization: token }
      value = await callJson(reading, `${url}/graphql`, {
        method: 'POST',
        headers,
        body: { query, variables },
        nowMs: nowMs(),
      })
    } catch (error) {
      throw (error instanceof TrackerFailure && error.kind === 'refused' && graphqlFailure(kept.body)) || error
    }
    const failure = graphqlFailure(value)
    if (failure) throw failure
    return fieldsOf(fieldsOf(value).data)
  }
}

/** The id of the team with this key. */
async function teamOf(ask: Ask, target: string): Promise<string> {
  const answer = await ask('query Team($key: String!) { teams(filter: { key: { eq: $key } }) { nodes { id key } } }', {
    key: target,
  })
  const [found] = listOf(fieldsOf(answer.teams).nodes).map(fieldsOf)
  if (!found) throw new TrackerFailure('missing', `Linear has no team with the key ${target}.`)
  return textOf(found.id)
}

/** The workflow state of the issue's team that this state is. Undefined if the issue has the state. */
async function workflowState(ask: Ask, id: string, state: TrackerState): Promise<string | undefined> {
  const answer = await ask(
    'query States($id: String!) { issue(id: $id) { state { id type } team { states { nodes { id type position } } } } }',
    { id },
  )
  const issue = fieldsOf(answer.issue)
  demanded(fieldsOf(issue.state).id, 'state of an issue')
  if (linearState(issue.state) === state) return undefined
  const types = state === 'closed' ? ['completed', 'canceled'] : ['unstarted', 'backlog', 'started', 'triage']
  const states = listOf(fieldsOf(fieldsOf(issue.team).states).nodes)
    .map(fieldsOf)
    .sort((a, b) => Number(a.position) - Number(b.position))
  const [found] = types.flatMap((type) => states.filter((item) => item.type === type))
  if (!found) throw new TrackerFailure('refused', 'The team has no workflow state for this.')
  return textOf(found.id)
}

/** Linear's GraphQL API. */
export function linear(connection: Connection, nowMs: () => number): Tracker {
  const { target } = connection
  const ask = asking(connection, nowMs)
  return {
    check: async () => {
      const viewer = fieldsOf((await ask('query Viewer { viewer { id name email } }')).viewer)
      await teamOf(ask, target)
      const account = demanded(textOf(viewer.name) || textOf(viewer.email), 'account')
      return { account, accountId: demanded(viewer.id, 'account') }
    },
    idOf: (name) => /(?:^|\/issue\/)([A-Z][A-Z0-9]{0,20}-\d{1,10})(?:[/?#].*)?$/i.exec(name.trim())?.[1]?.toUpperCase(),
    create: async ({ title, body }) => {
      const input = { teamId: await teamOf(ask, target), title, description: body }
      const answer = await ask(
        `mutation Create($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { ${fields} } } }`,
        { input },
      )
      return toIssue(fieldsOf(answer.issueCreate).issue)
    },
    issue: async (id) =>
      toIssue((await ask(`query Issue($id: String!) { issue(id: $id) { ${fields} } }`, { id })).issue),
    setState: async (id, state) => {
      const stateId = await workflowState(ask, id, state)
      if (stateId === undefined) return
      const answer = await ask(
        'mutation Update($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }',
        {
          id,
          input: { stateId },
        },
      )
      if (fieldsOf(answer.issueUpdate).success !== true)
        throw new TrackerFailure('refused', 'Linear did not change the issue.')
    },
    comment: async (id, body) => {
      const answer = await ask(
        'mutation Comment($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id } } }',
        { input: { issueId: id, body } },
      )
      return demanded(fieldsOf(fieldsOf(answer.commentCreate).comment).id, 'id of a comment')
    },
  }
}
