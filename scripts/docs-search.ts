import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { adoptionStages } from '../src/domain/adoption-stages.ts'
import type { KeyType, SearchKey } from '../src/query/search/key.ts'
import { searchKeys } from '../src/query/search/keys.ts'
import { findsNothing, messageKeyOf, offeredKeys, operators } from '../src/query/search/lookup.ts'
import { states } from '../src/query/search/states.ts'
import { cell, code, made, table } from './docs-parts.ts'

/** The search syntax: examples, each with its explanation. */
const grammar: string[][] = [
  ['`timeout`', 'Title, culprit, type or message of the issue contains the word, in upper or lower case.'],
  ['`"read timeout"`', 'The same with a space in it.'],
  ['`level:fatal`', 'The key has exactly this value.'],
  [
    '`browser.name:"Mobile Safari"`',
    'A value with spaces needs quotes. A key that is not in the [table](#keys) is a tag.',
  ],
  [
    '`tags[platform]:kiosk`',
    'A tag with the name of a key, or with a colon in its name. `level`, `environment`, `release`, `dist` and `user` always belong to the event: a tag sent under such a name is dropped.',
  ],
  ['`!level:info`', 'Not this value.'],
  ['`level:[error, fatal]`', 'Any of these values.'],
  [
    '`title:Type*`, `url:*/checkout/*`',
    'A `*` stands for any characters. Write `\\*` for a star, `\\"` for a quote and `\\\\` for a backslash.',
  ],
  ['`customer:""`', 'The key is empty or missing.'],
  ['`has:release`, `!has:customer`', 'The key or tag is there, or is not.'],
  ['`is:unresolved`, `is:assigned`', 'The state of the issue.'],
  [
    '`timesSeen:>100`, `timesSeen:<=2k`',
    'Numbers with `>`, `>=`, `<`, `<=` and `!=`. `k`, `m` and `b` stand for thousands, millions and billions.',
  ],
  [
    '`firstSeen:-24h`, `age:+7d`',
    'Later than 24 hours ago; earlier than 7 days ago. The units are `m`, `h`, `d` and `w`.',
  ],
  [
    '`lastSeen:>2026-01-31`, `timestamp:>=2026-01-31T12:00:00Z`',
    'Before or after a date. A day without a sign means that day. A time without a sign means the five minutes before and after it.',
  ],
  ['`tags[cart.size,number]:>5`', 'A tag that is compared as a number.'],
  ['`release.version:>=1.2`', 'A part of the release, in the order of its numbers.'],
  ['`release.stage:adopted`', 'The [adoption](#search-stages-of-releases) of the release.'],
  ['`error.unhandled:true`', 'The value is `true`, `1`, `false` or `0`.'],
  [
    '`(level:error OR level:fatal) !is:resolved`',
    'Terms next to each other must all hold. You can also write `AND`, which binds tighter than `OR`.',
  ],
]

/** The text of the page between the syntax and the table of keys. */
const chapters = `## Search events

You can search the events of an issue and the events of a project with the same text:

- on the page \`/o/ORGANIZATION/issues/ID/events\`;
- with \`GET /organizations/ORGANIZATION/issues/ID/events/\`;
- with \`GET /projects/ORGANIZATION/PROJECT/events/\`.

Words are then searched in the message of the event. \`level\`, \`platform\`, \`logger\`, \`error.type\` and \`error.handled\` are
those of the event, and \`error.value\` matches a part of its message. Keys that only an issue has, such as \`is\`, \`title\`,
\`assigned\` and \`timesSeen\`, ask its issue. In a project at most 2,000 issues may match such a condition.

## Search frames

\`stack.function\`, \`stack.filename\`, \`stack.abs_path\`, \`stack.module\`, \`stack.package\` and \`stack.in_app\` match any frame of
an event’s exceptions. For a message they match its stack. Names and files are those that the page shows. If a source map
has the original names, they match, even if the map was uploaded later.

- **Several conditions.** Each condition can match another frame.
- **Negation.** With \`!\` or \`""\` no frame has the value.
- **Limits.** The search reads 100 frames of an event: those nearest the crash, of the last exception first. It reads 300
  characters of a value. A longer value finds values that begin like it. A pattern is compared with the beginning.
- **Cost.** A whole value uses an index. A pattern with \`*\`, \`has:\` and \`""\` read the frames of every event in the range,
  which takes longer. A search can have 20 of them.
- **Older data.** Events from before the data folder had the column of frames do not match, except with \`!\` and \`""\`.

Two more keys work like this. \`error.main_thread\` needs an SDK that reports the main thread. \`symbolicated_in_app\` is for
JavaScript, and also works without any source map.

## Search stages of releases

\`release.stage\` is the adoption of the event’s release, which the pages of [releases](releases.md#release-health) show. It
comes from sessions.

| Stage | The release |
| --- | --- |
| \`adopted\` | has at least 10% of the sessions of the last 24 hours |
| \`replaced\` | has less, and had at least 10% on a day (UTC) of the last 90 |
| \`low\` | has less, and never had 10% on such a day |

- **Where.** Each project counts by itself. Of the sessions of a project, those of the chosen environments count, together.
  An \`environment:\` in the text does not change that. In an alert rule it is the environment of the rule.
- **When.** The stage is that of now, at most a minute old, also for older events. An alert rule reads it again every 10
  minutes. A back-test uses the stage of now and says so.
- **No stage.** A release without sessions in the last 90 days has no stage, and neither has any release of a project without
  sessions in the last 24 hours. The key is then missing, as in an event without a release: \`!has:release.stage\` and
  \`release.stage:""\` find these events. \`release.stage:low\` does not. \`!release.stage:adopted\` finds all events whose
  release is not adopted, with a stage or without one.
- **Limits.** Mishap reads the 5,000 releases with the most sessions of the last day, and 50,000 pairs of a release and a
  day before. A condition names at most 5,000 releases, those with the most sessions. Releases beyond have no stage.

In a list of issues, an issue matches if one of its events does.

## The search box

The box offers keys, and after a colon values. The values come from the newest 500,000 events in the chosen projects,
environments and range, the most frequent first. Values of frames come from the newest 50,000 events.

| Key | What it does |
| --- | --- |
| \`↑\` \`↓\` | Choose a line. |
| \`Enter\`, \`Tab\` | Take the chosen line. Without a chosen line \`Enter\` searches. |
| \`Esc\` | Closes the list, then leaves the box. |
| \`Alt\` with \`←\` \`→\` | Moves from filter to filter. |
| \`!\` | Negates the selected filter. |

An empty box first shows the last ten searches of this browser. A search works before the page’s scripts have loaded. The
box offers e-mail addresses only to people who may see the members.

In the issue stream the box also takes an event id, a short id such as \`WEB-42\`, or a digest, and opens that page. If
nothing has this id, as with \`UTF-8\`, the box searches for the text. It also searches for text in quotes. A
[digest](digests.md) can be part of the sentence from its error screen, and can have spaces. \`digest:NUMBER\` always opens
the digest, and so does the link \`/d/DIGEST\`. The command palette (\`Ctrl K\`, \`⌘ K\`) works the same way.

## Saved views

**Views** next to the box saves what the stream shows: text, projects, environments, range and sorting. All of it is in the
address, too. \`v\` opens the list of views. A view belongs to you or to everybody in the organization. Only people who may
triage can share a view, and change or delete a shared one. Views can be renamed. You can undo an update or a deletion for
ten seconds. Neither overwrites what somebody else has changed since.

The API has views under \`/organizations/ORGANIZATION/searches/\`. A person and an organization can have 100 views of each
list: \`scope\` is \`issues\`, [\`traces\`](traces-search.md#saved-views) or [\`logs\`](logs-search.md#saved-views). A view stores the ids of projects, so renaming a
project does not break it. If a project was deleted, the stream says so.

## Differences from Sentry

- **Words.** Each word is searched on its own: \`read timeout\` also finds “timeout while reading”. Quotes keep words together.
- **Case.** Releases, tags and other texts are compared with their case. Patterns with \`*\` and words ignore case.
- **No data.** \`stack.lineno\`, \`stack.colno\`, \`flags["x"]\` and conditions on spans find nothing yet. With
  \`!\` they find everything.
- **Suggested people.** \`assigned_or_suggested\` uses the [ownership rules](triage.md#ownership). It does not use the authors of
  suspect commits.
- **Tags.** Any key outside the [table](#keys) is a tag. Mishap makes these tags when an event arrives: \`http.method\`,
  \`sdk.name\`, \`sdk.version\`, \`geo.country_code\`, \`geo.region\`, \`geo.city\`, \`device.family\`, and the names of browser, system
  and runtime. Other values of an event’s contexts are found only if the client also sends them as tags.
`

/** The English descriptions of keys. The search box shows the same texts. */
function sentences(): Record<string, string> {
  const path = join(import.meta.dirname, '..', 'src/web/messages/search.en.json')
  return (JSON.parse(readFileSync(path, 'utf8')) as { key: Record<string, string> }).key
}

const operatorsOf = ([type, list]: [string, readonly string[]]) => [
  code(type),
  list.map((operator) => code(operator)).join(' '),
]

/** Whether a key filters issues, events, or both. */
function asks({ source, eventSource }: SearchKey): string {
  if (eventSource) return 'both'
  if (source.in === 'project' || source.in === 'presence') return 'both'
  return source.in.startsWith('issue') ? 'issue' : 'event'
}

/** docs/search.md: the syntax, and every key of the table in query/search/keys.ts. */
export function searchPage(): string {
  const about = sentences()
  const silent = searchKeys.filter(findsNothing)
  const types = Object.entries(operators) as [KeyType, (typeof operators)[KeyType]][]
  return `${made('scripts/docs-search.ts and src/query/search/keys.ts')}# Search

After this page you can find issues and events by words, keys, tags and time. The search boxes and \`query=\` of the API take
the same text. An empty box shows everything in the chosen projects, environments and time range.

${table(['You type', 'It finds'], grammar)}

A text can have 4,096 characters, 100 terms, 200 values in lists and 20 levels of parentheses. In issues it can search for
20 words and patterns. If Mishap cannot read a text, it says at which character and what it expected there. The box keeps
the text. See [errors](errors.md).

${chapters}
## Keys

A key asks the issue, the event, or both: where issues are listed it asks the issue, and where events are listed the event.

${table(
  ['Key', 'Value', 'Asks', 'Meaning', 'Example'],
  offeredKeys.map((key) => [
    code(key.name),
    key.type,
    asks(key),
    cell(about[messageKeyOf(key)] ?? ''),
    code(key.example),
  ]),
)}

\`is:\` takes ${states.map(code).join(', ')}.
\`release.stage:\` takes ${adoptionStages.map(code).join(', ')}.

Some keys have other names, which Sentry’s clients use:

${table(
  ['Key', 'Other names'],
  searchKeys.flatMap((key) => (key.aliases ? [[code(key.name), key.aliases.map(code).join(', ')]] : [])),
)}

## Values

Each type of value takes these signs. \`!\` in front of a key negates any of them.

${table(['Value', 'Signs'], types.map(operatorsOf))}

## Keys that find nothing yet

The parser reads these keys for compatibility, but error events do not have them: ${silent.map((key) => code(key.name)).join(', ')}.
The same is true for aggregates such as \`p95(transaction.duration):>1s\`. If a search has such a key and finds nothing, the
stream says why.
`
}
