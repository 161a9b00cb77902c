import type { RestEvent } from '../../../contract/events.ts'
import { orderedTags } from './tag-order.ts'

/** Columns of tags in the table of events. */
const columnsMax = 12
/** Columns of the default. */
const differingMax = 5
const keyMax = 200
/** Without any difference: what a reader expects in such a table. */
const usual = ['release', 'environment', 'user']

type Tagged = Pick<RestEvent, 'tags'>

/** The value of a tag; '' if the event has none. */
export const tagOf = (event: Tagged, key: string): string => event.tags.find((tag) => tag.key === key)?.value ?? ''

/** Names of columns from a text: comma-separated, as in the URL and in the cookie. Undefined: none were chosen. */
export function readColumns(text: string | null | undefined): string[] | undefined {
  const keys = (text ?? '').split(',').filter((key) => key !== '' && key.length <= keyMax)
  return keys.length > 0 ? [...new Set(keys)].slice(0, columnsMax) : undefined
}

/** All tags of the events, without those that repeat another tag. */
export function offeredColumns(events: readonly Tagged[]): string[] {
  const keys = new Set(events.flatMap((event) => event.tags.map((tag) => tag.key)))
  // A comma separates columns in the URL.
  return orderedTags([...keys].sort().map((key) => ({ key })))
    .map((tag) => tag.key)
    .filter((key) => !key.includes(',') && key.length <= keyMax)
}

/** The columns that nobody chose: tags whose values differ between the events. */
export function differingColumns(events: readonly Tagged[]): string[] {
  const differing = offeredColumns(events).filter((key) => new Set(events.map((event) => tagOf(event, key))).size > 1)
  return differing.length > 0 ? differing.slice(0, differingMax) : usual
}
