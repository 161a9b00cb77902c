import type { ReactNode } from 'react'
import type { RestEvent } from '../../contract/events.ts'
import type { RestIssue, RestIssueDetail } from '../../contract/issues.ts'
import type { ProjectSwitches } from '../../domain/project-switches.ts'
import type { ApiRequest } from '../client/api.ts'
import type { StatusChange } from '../client/issue-status.ts'

/**
 * A section of a page. The page lists its panels and knows nothing else of them; the list decides their order. `Data` is
 * what the panel's loader on the server answers under the same id; a panel without a loader has none.
 */
export type Panel<Context, Data = undefined> = {
  /** Unique on its page. */
  id: string
  /** Whether the panel has anything to show. Left out: always. */
  guard?(props: PanelProps<Context, Data>): boolean
  // A method, not a property: the parameters of methods are bivariant, so panels of different data fit one list.
  Component(props: PanelProps<Context, Data>): ReactNode
  /** Moves to the end of its column when its data did not come with the document, so that nothing below it jumps. */
  isLastWhenLate?: boolean
}

/** What a panel is rendered with. `preloaded` is undefined when the data did not come with the document. */
type PanelProps<Context, Data = undefined> = Context & { preloaded: Data | undefined }

/** What came with the document, by the id of its panel. */
export type Preloaded = Readonly<Record<string, unknown>>

/** The data of the panel `P`, for the type of its loader. */
export type DataOf<P> = P extends { Component(props: infer Props): ReactNode }
  ? Props extends { preloaded: infer Data }
    ? NonNullable<Data>
    : never
  : never

/** What a person can do with the shown issue. */
export type IssueActions = {
  decide(change: StatusChange): void
  /** Opens the dialog with the choices for a question. */
  ask(question: 'resolve' | 'archive' | 'snooze' | 'priority'): void
  assign: { ask(): void; to(person: NonNullable<RestIssue['assignedTo']>): void }
  /** Fetches the issue again, after something else has changed it. */
  changed(): void
  linkText(): string
  /** The event as Markdown; '' when it can't be fetched. */
  markdown(): Promise<string>
}

/** What every panel of the issue page gets. */
export type IssueContext = {
  /** Slug. */
  organization: string
  detail: RestIssueDetail
  /** Undefined when none of the issue's events is kept. */
  event: RestEvent | undefined
  /** Path of the stream: `/o/acme/issues`. */
  base: string
  /** Range and environment of the page, as the links to other pages keep them: '' or with `?`. */
  kept: string
  /** The same as the REST calls take them. */
  query: NonNullable<ApiRequest['query']>
  /** Path of the stream, filtered by a tag's value. */
  hrefOf(tag: string, value: string): string
  canTriage: boolean
  /** Whether the person may change the project's filters. */
  canFilter: boolean
  /** Switches of the issue's project. */
  switches: ProjectSwitches
  meUserId: string
  actions: IssueActions
}

/** What the panels of an event get. */
type EventContext = IssueContext & { event: RestEvent }

export type IssuePanel<Data = undefined> = Panel<IssueContext, Data>
export type EventPanel<Data = undefined> = Panel<EventContext, Data>
