import type { ReactNode } from 'react'
import type { RestEvent } from '../../contract/events.ts'
import type { RestIssue, RestIssueDetail } from '../../contract/issues.ts'
import type { ProjectSwitches } from '../../domain/project-switches.ts'
import type { ApiRequest } from '../client/api.ts'
import type { StatusChange } from '../client/issue-status.ts'

/**
 * A section of a page. The page lists its panels in order and knows nothing else about them. `Data` is the result of
 * the panel's server loader, found under the same id. A panel without a loader has no data.
 */
export type Panel<Context, Data = undefined> = {
  /** Unique on its page. */
  id: string
  /** Whether the panel has anything to show. Defaults to true. */
  guard?(props: PanelProps<Context, Data>): boolean
  // A method, not a property: method parameters are bivariant, so panels with different data fit into one list.
  Component(props: PanelProps<Context, Data>): ReactNode
  /** Id of the panel whose preloaded data this one shares. Default: its own. */
  sharesDataOf?: string
  /** Moves the panel to the end of its column if its data was not preloaded, so that the layout does not shift. */
  isLastWhenLate?: boolean
}

/** Props of a panel. `preloaded` is undefined if the data did not come with the document. */
type PanelProps<Context, Data = undefined> = Context & { preloaded: Data | undefined }

/** Preloaded data by panel id. */
export type Preloaded = Readonly<Record<string, unknown>>

/** The data of the panel `P`: the type of its loader's result. */
export type DataOf<P> = P extends { Component(props: infer Props): ReactNode }
  ? Props extends { preloaded: infer Data }
    ? NonNullable<Data>
    : never
  : never

/** Actions on the shown issue. */
type IssueActions = {
  decide(change: StatusChange): void
  /** Opens the dialog for this question. */
  ask(question: 'resolve' | 'archive' | 'snooze' | 'priority'): void
  assign: { ask(): void; to(person: NonNullable<RestIssue['assignedTo']>): void }
  /** Fetches the issue again, after something else changed it. */
  changed(): void
  linkText(): string
  /** The event as Markdown; '' if it cannot be fetched. */
  markdown(): Promise<string>
}

/** The context of every panel of the issue page. */
export type IssueContext = {
  /** Slug. */
  organization: string
  detail: RestIssueDetail
  /** Undefined if none of the issue's events is stored. */
  event: RestEvent | undefined
  /** Path of the stream: `/o/acme/issues`. */
  base: string
  /** Query string with range and environment for links to other pages: '' or with `?`. */
  viewSearch: string
  /** The same for REST calls. */
  query: NonNullable<ApiRequest['query']>
  /** Path of the stream, filtered by a tag value. */
  hrefOf(tag: string, value: string): string
  /** The place of the issue's project in the organization's list, for its rail. */
  projectPlace: number
  /** Path of this issue's events, filtered by a tag value. */
  eventsHrefOf(tag: string, value: string): string
  canTriage: boolean
  /** Whether the person may change the project's filters. */
  canFilter: boolean
  /** Switches of the issue's project. */
  switches: ProjectSwitches
  meUserId: string
  actions: IssueActions
}

/** The context of the event's panels. */
type EventContext = IssueContext & { event: RestEvent }

export type IssuePanel<Data = undefined> = Panel<IssueContext, Data>
export type EventPanel<Data = undefined> = Panel<EventContext, Data>
