import type { EventFilter } from '../../store/events/events.ts'
import type { FrameKey } from '../../store/events/frames.ts'
import type { RouteMetric } from '../../store/events/performance-store.ts'
import type { Value } from '../../store/events/question.ts'
import type { IssueFilter } from '../../store/meta/meta.ts'

/** How the value of a key is parsed. A key outside the table is a tag, and tag values are text. */
export type KeyType = 'text' | 'version' | 'number' | 'date' | 'boolean' | 'duration' | 'choice' | 'is' | 'has'

/** A character before or around a value. */
export type Operator = '*' | '[]' | '""' | '<' | '<=' | '=' | '!=' | '>=' | '>'

/** A part of a release such as `web@1.2.3+7`. */
export type ReleasePart = 'package' | 'version' | 'build'

/** The prefix in the tag `user`: `id:42`. */
export type UserPart = 'id' | 'email' | 'username' | 'ip'

type IssueColumn = Exclude<Extract<IssueFilter, { op: 'field' }>['field'], 'kind' | 'shortId'>
type EventColumn = Extract<EventFilter, { op: 'field' }>['field']

/** Source of a key. The plan turns each kind of source into conditions for its store (conditions.ts). */
export type KeySource =
  // Issues, in SQLite.
  | { in: 'issue'; column: IssueColumn }
  | { in: 'issueNumber'; column: Extract<IssueFilter, { op: 'number' }>['field'] }
  | { in: 'issuePeople'; relation: 'assigned' | 'assignedOrSuggested' | 'bookmarked' | 'subscribed' }
  | { in: 'issueUnhandled'; value: boolean }
  | { in: 'issueCategory' | 'issueType' | 'issueKind' | 'issuePriority' | 'issueShortId' | 'issueState' }
  // Events, in the events store.
  | { in: 'event'; column: Exclude<EventColumn, 'event_id' | 'trace_id' | 'message'> }
  | { in: 'eventId'; column: 'event_id' | 'trace_id' }
  /** `words`: whole words, from the index. `part`: any part of the message. */
  | { in: 'eventMessage'; match: 'words' | 'part' }
  | { in: 'eventTime' }
  | { in: 'frames'; key: FrameKey }
  | { in: 'release'; part: ReleasePart }
  /** The adoption stage of the event's release (release-stages.ts). */
  | { in: 'releaseStage' }
  /** Any of these tags has the value. */
  | { in: 'tags'; tags: readonly string[] }
  /** The version after the name in any of these tags: `browser` is "Chrome 120.0". */
  | { in: 'versions'; tags: readonly string[] }
  /** The tag `handled`: the key is true where the tag is `yes` (or `no`). */
  | { in: 'handled'; trueWhen: 'yes' | 'no' }
  | { in: 'user'; part: UserPart }
  /** A value of each row of a dataset (span-keys.ts, log-keys.ts and so on). */
  | { in: 'row'; value: Value }
  /** Routes of the performance pages: a name, a figure, or whether the route is new (route-search.ts). */
  | { in: 'route'; of: 'route' | 'op' | 'new' | RouteMetric }
  // All, or none.
  | { in: 'project'; by: 'slug' | 'id' }
  /** `has:` asks about another key. */
  | { in: 'presence' }
  /** Error events never have it, so a condition on it finds nothing. */
  | { in: 'nothing' }

/**
 * Source of a key's completions. `stored`: the newest events or releases at the key's source (completion.ts), so the
 * plan finds each completed value.
 */
type ValueSource = 'stored' | 'people' | 'projects' | 'releases'

/**
 * One key of the search language. Its sentence is in web/messages/search.*.json under `key`, with `_` for each dot
 * (see `messageKeyOf`): the box shows it in the language of the screen, and docs/search.md has the English sentence.
 */
export type SearchKey = {
  name: string
  type: KeyType
  /** Other spellings of the name. */
  aliases?: readonly string[]
  /** Source of the key. */
  source: KeySource
  /** Source of the key when events are listed, if it differs. */
  eventSource?: KeySource
  /** Fixed completions. A `choice` takes no other values. */
  words?: readonly string[]
  /** Source of other completions. A key without `words` and `values` has none. */
  values?: ValueSource
  /** The word `latest` means the latest release of each project. */
  latest?: true
  /**
   * A tag has the same name. `equal`: with the same values, so links to a value use the key. `similar`: clients can
   * send a tag of this name with another meaning, so links use `tags[…]`.
   */
  tag?: 'equal' | 'similar'
  /** A search with the key, for the docs and for the tests. */
  example: string
  /** A number of spans and transactions, which error events do not have. */
  measured?: true
}
