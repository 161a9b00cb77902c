import type { Actor } from '../../auth/auth.ts'
import type { RestEvent } from '../../contract/events.ts'
import type { issueWithTags } from '../../query/issue.ts'
import type { Range } from '../../query/range.ts'
import type { SeenEvent } from '../../store/events/events.ts'
import type { ApiRequest } from '../client/api.ts'
import type { IssueHere } from '../server/issues.ts'

/** What the loaders of the issue page's panels get. Promises are shared, so each question goes to the store once. */
export type IssueRequest = {
  actor: Actor
  here: IssueHere
  /** Ids of the projects that the person may read. */
  readable: readonly number[]
  range: Range
  environments: string[]
  /** Range and environments as the browser's REST calls have them. */
  query: NonNullable<ApiRequest['query']>
  /** The issue in the range, with the values of its tags. */
  counted: ReturnType<typeof issueWithTags>
  /** The shown event as it is stored, and as the page shows it. */
  row: Promise<SeenEvent | undefined>
  event: Promise<RestEvent | undefined>
}

/** Loads on the server what a panel shows, so that it comes with the document. undefined: the browser asks for it. */
export type IssueLoader<Data> = {
  load(request: IssueRequest): Promise<Data | undefined>
  /** Asks the events store beyond what the page needs: the document does not wait for it for long. */
  mayBeLate: boolean
}
