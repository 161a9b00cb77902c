import { isPerformanceKind } from '../../domain/detectors/detectors.ts'
import type { Issue, IssueFilter } from '../../store/meta/meta.ts'
import type { SearchContext } from './context.ts'
import type { KeySource } from './key.ts'

// Filters on issues by special words of the search language: people, priorities, categories, types of events.

type Relation = Extract<KeySource, { in: 'issuePeople' }>['relation']

/** The id of a user: the one who searches (`me`), or the owner of an e-mail address. */
const personId = async (text: string, context: SearchContext): Promise<string | undefined> =>
  text.toLowerCase() === 'me' ? context.meUserId : await context.userIdOf(text.replace(/^user:/, ''))

/** Filters for issues related to one of these users. An unknown user gives no filter. */
export async function userFilters(
  relation: Relation,
  texts: readonly string[],
  context: SearchContext,
): Promise<IssueFilter[]> {
  if (relation === 'assigned' || relation === 'assignedOrSuggested')
    return (
      await Array.fromAsync(texts, async (text) => assigneeFilters(text, relation === 'assignedOrSuggested', context))
    ).flat()
  return (
    await Array.fromAsync(texts, async (text) => {
      const userId = await personId(text, context)
      return userId === undefined ? [] : [{ op: relation, userId }]
    })
  ).flat()
}

const nobody: IssueFilter = { op: 'assigned', userId: null }

/** With `suggested`, the suggested owners of an issue without an assignee count too. */
async function assigneeFilters(text: string, suggested: boolean, context: SearchContext): Promise<IssueFilter[]> {
  const word = text.toLowerCase()
  if (word === 'none' || word === '') {
    const unsuggested: IssueFilter = { op: 'not', of: { op: 'suggested', userId: 'any' } }
    return suggested ? [{ op: 'and', of: [nobody, unsuggested] }] : [nobody]
  }
  const userId = word === 'any' ? word : await personId(text, context)
  if (userId === undefined) return []
  const assigned: IssueFilter = { op: 'assigned', userId }
  return suggested ? [assigned, { op: 'and', of: [nobody, { op: 'suggested', userId }] }] : [assigned]
}

const priorities: Readonly<Record<string, NonNullable<Issue['priority']>>> = {
  high: 'high',
  medium: 'medium',
  low: 'low',
}

/** Filters by priority. Other words give none. */
export const priorityFilters = (texts: readonly string[]): IssueFilter[] =>
  texts.flatMap((text) => {
    const value = named(priorities, text.toLowerCase())
    return value ? [{ op: 'priority', value }] : []
  })

/** The kind of an issue by the type of its events. `default` is the name that SDKs give an event without an exception. */
const kinds: Readonly<Record<string, string>> = { error: 'error', default: 'message', message: 'message', csp: 'csp' }

/** Filters by the type of the events. Other words give none. */
export const kindFilters = (texts: readonly string[]): IssueFilter[] =>
  texts.flatMap((text): IssueFilter[] => {
    if (text === 'generic') return [ofDetectors]
    const value = named(kinds, text)
    return value ? [{ op: 'field', field: 'kind', match: 'is', value }] : []
  })

/** Issues that a detector found. Their kinds are the issue types. */
const ofDetectors: IssueFilter = { op: 'field', field: 'kind', match: 'like', value: 'performance_*' }
const ofErrors: IssueFilter = { op: 'not', of: ofDetectors }

/** Every issue is an error or a performance issue. Issues with user feedback are also `feedback`. */
const categories: Readonly<Record<string, IssueFilter>> = {
  error: ofErrors,
  performance: ofDetectors,
  feedback: { op: 'feedback' },
}

/** Filters for issues of these categories. Other words give none. */
export const categoryFilters = (texts: readonly string[]): IssueFilter[] =>
  texts.flatMap((text) => named(categories, text) ?? [])

/** Filters for issues of these types: `error`, or the issue type of a detector. Other words give none. */
export const issueTypeFilters = (texts: readonly string[]): IssueFilter[] =>
  texts.flatMap((text): IssueFilter[] => {
    if (text === 'error') return [ofErrors]
    return isPerformanceKind(text) ? [{ op: 'field', field: 'kind', match: 'is', value: text }] : []
  })

const named = <Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined
