import type { TrackerKind } from '../domain/alerts/trackers.ts'
import type { Issue, Organization, Project } from '../store/meta/meta.ts'
import type { IssueText } from './tracker.ts'

const titleCharactersMax = 200
const culpritCharactersMax = 300
/** GitHub takes 65,536 characters, Jira 32,767. */
const bodyCharactersMax = 30_000
const commentCharactersMax = 8_000

/** Control characters and the marks that turn the direction of text. */
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** One line of at most `max` characters, without control characters and bidirectional marks. */
export function line(text: string, max: number): string {
  const clean = text
    .replace(/[\n\t]+/g, ' ')
    .replace(control, ' ')
    .trim()
  const characters = [...clean]
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : clean
}

/**
 * Breaks everything that a tracker reads as a command: mentions, references to other issues, and Jira's markup. A
 * zero-width space behind the sign keeps the text readable.
 */
const inert = (text: string): string => text.replace(/[@#!~[\]{}|&]|\bGH-(?=\d)/gi, (sign) => `${sign}\u200b`)

/** A code span that the text cannot leave: its fence is longer than every run of backticks inside. */
function code(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map((run) => run[0].length)
  const fence = '`'.repeat(Math.max(0, ...runs) + 1)
  return `${fence} ${text} ${fence}`
}

/** The address of the issue page. */
const pageOf = (url: string, organization: Pick<Organization, 'slug'>, issue: Pick<Issue, 'id'>): string =>
  `${url}/o/${organization.slug}/issues/${issue.id}`

type Described = { url: string; organization: Organization; project: Project; issue: Issue }

/**
 * The prefilled text of a tracker issue: title, culprit, link and facts. Texts of events are in code spans, and their
 * mentions and references are broken as well: some trackers search the source for them.
 */
export function issueText(described: Described, kind: TrackerKind): IssueText {
  const { issue, project, organization, url } = described
  const isJira = kind === 'jira'
  const quoted = (text: string, max: number) => {
    const plain = inert(line(text, max))
    return isJira ? `{noformat}${plain}{noformat}` : code(plain)
  }
  const facts: [string, string][] = [
    ['Culprit', issue.culprit],
    ['Level', issue.level],
    ['Project', project.slug],
    ['First release', issue.firstRelease],
    ['Last release', issue.lastRelease],
    ['First seen', new Date(issue.firstSeenMs).toISOString()],
    ['Last seen', new Date(issue.lastSeenMs).toISOString()],
    ['Events', String(issue.count)],
  ]
  const page = pageOf(url, organization, issue)
  const rows = facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${isJira ? '*' : '-'} ${name}: ${quoted(value, culpritCharactersMax)}`)
  const link = isJira ? `[${issue.shortId} in Mishap|${page}]` : `[${issue.shortId} in Mishap](${page})`
  return {
    title: `${issue.shortId}: ${inert(line(issue.title, titleCharactersMax))}`,
    body: [link, quoted(issue.title, titleCharactersMax), rows.join('\n')].join('\n\n'),
  }
}

/** A text that a person wrote or changed, within the limits of the services. */
export const cut = (text: IssueText): IssueText => ({
  title: line(text.title, titleCharactersMax + 60),
  body: text.body.replace(control, ' ').slice(0, bodyCharactersMax),
})

/** Begins every comment that Mishap copies, so that its webhook is recognized. */
export const commentMark = 'In Mishap: '

/** A comment for the tracker: a quotation, so that GitLab's commands at the beginning of a line stay text. */
export function commentText(author: string, text: string): string {
  const lines = text.replace(control, ' ').slice(0, commentCharactersMax).split('\n')
  return [`${commentMark}${inert(line(author, 80))}`, '', ...lines.map((item) => `> ${inert(item)}`)].join('\n')
}
