import type { EventFilter } from '../../store/events/events.ts'
import type { FrameKey } from '../../store/events/frames.ts'
import type { IssueFilter } from '../../store/meta/meta.ts'

/** How the value of a key is read. A key outside the table is a tag, and the values of a tag are text. */
export type KeyType = 'text' | 'version' | 'number' | 'date' | 'boolean' | 'duration' | 'is' | 'has'

/** A sign in front of a value or around it. */
export type Operator = '*' | '[]' | '""' | '<' | '<=' | '=' | '!=' | '>=' | '>'

/** A part of a release such as `web@1.2.3+7`. */
export type ReleasePart = 'package' | 'version' | 'build'

/** How the tag `user` names a person: `id:42`. */
export type UserPart = 'id' | 'email' | 'username' | 'ip'

type IssueColumn = Exclude<Extract<IssueFilter, { op: 'field' }>['field'], 'kind' | 'shortId'>
type EventColumn = Extract<EventFilter, { op: 'field' }>['field']

/** Where a key lives. The plan turns each kind of source into conditions for the store that has it (conditions.ts). */
export type KeySource =
  // Issues, in SQLite.
  | { in: 'issue'; column: IssueColumn }
  | { in: 'issueNumber'; column: Extract<IssueFilter, { op: 'number' }>['field'] }
  | { in: 'issuePeople'; relation: 'assigned' | 'assignedOrSuggested' | 'bookmarked' | 'subscribed' }
  | { in: 'issueUnhandled'; value: boolean }
  | { in: 'issueCategory' | 'issueKind' | 'issuePriority' | 'issueShortId' | 'issueState' }
  // Events, in the events store.
  | { in: 'event'; column: Exclude<EventColumn, 'event_id' | 'trace_id' | 'message'> }
  | { in: 'eventId'; column: 'event_id' | 'trace_id' }
  /** `words`: whole words, by their index; `part`: the value may be anywhere. */
  | { in: 'eventMessage'; match: 'words' | 'part' }
  | { in: 'eventTime' }
  | { in: 'frames'; key: FrameKey }
  | { in: 'release'; part: ReleasePart }
  /** Any of these tags has the value. */
  | { in: 'tags'; tags: readonly string[] }
  /** The version behind the name in any of these tags: `browser` is "Chrome 120.0". */
  | { in: 'versions'; tags: readonly string[] }
  /** The tag `handled`: the key is true where the tag is `yes` (or `no`). */
  | { in: 'handled'; trueWhen: 'yes' | 'no' }
  | { in: 'user'; part: UserPart }
  // Both, or neither.
  | { in: 'project'; by: 'slug' | 'id' }
  /** `has:` asks about another key. */
  | { in: 'presence' }
  /** Error events do not have it: a condition on it finds nothing. */
  | { in: 'nothing' }

/**
 * Where the values come from that complete a key. `stored`: from where the key lives, as the newest events or releases
 * have them (completion.ts), so a completed value is one that the plan finds.
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
  /** Where the key lives. */
  source: KeySource
  /** Where the key lives when events are listed, if that is another place. */
  eventSource?: KeySource
  /** Fixed values that complete it. */
  words?: readonly string[]
  /** Where its other values come from; without `words` and `values` nothing completes it. */
  values?: ValueSource
  /** The word `latest` means the latest release of each project. */
  latest?: true
  /**
   * A tag has the same name. `equal`: it has the same values, so a link to one of them uses the key. `similar`: a client
   * may send a tag of this name that says something else, so a link uses `tags[…]`.
   */
  tag?: 'equal' | 'similar'
  /** A search with the key, for the docs and for the tests. */
  example: string
  /** A number of spans and transactions, which error events do not have. */
  measured?: true
}
