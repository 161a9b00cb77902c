import type { Actor } from '../../auth/auth.ts'
import type { RestEvent } from '../../contract/events.ts'
import type { issueWithTags } from '../../query/issues/issue.ts'
import type { Range } from '../../query/range.ts'
import type { SeenEvent } from '../../store/events/events.ts'
import type { ApiRequest } from '../client/api.ts'
import type { IssueHere } from '../server/issues.ts'

/** The input of the issue page's loaders. Promises are shared, so each query reaches the store once. */
export type IssueRequest = {
  actor: Actor
  here: IssueHere
  /** Ids of the projects that the person may read. */
  readable: readonly number[]
  range: Range
  environments: string[]
  /** Range and environments in the form of the REST query. */
  query: NonNullable<ApiRequest['query']>
  /** The issue's counts in the range, with its tag values. */
  counted: ReturnType<typeof issueWithTags>
  /** The shown event as stored, and as rendered. */
  row: Promise<SeenEvent | undefined>
  event: Promise<RestEvent | undefined>
}

/** Loads a panel's data on the server, to send it with the document. undefined: the browser fetches it. */
export type IssueLoader<Data> = {
  load(request: IssueRequest): Promise<Data | undefined>
  /** Whether it needs its own query to the events store. The document waits for it only briefly. */
  mayBeLate: boolean
}
