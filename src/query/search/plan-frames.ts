import type { EventFilter } from '../../store/events/events.ts'
import type { FrameKey } from '../../store/events/frames.ts'
import type { Term } from './ast.ts'

/** What a key of the search language asks of a frame. */
export const frameKeyOf = (name: string): FrameKey | undefined => (Object.hasOwn(keys, name) ? keys[name] : undefined)

const keys: Record<string, FrameKey> = {
  'stack.function': 'function',
  'stack.filename': 'filename',
  'stack.abs_path': 'abs_path',
  'stack.module': 'module',
  'stack.package': 'package',
  'stack.in_app': 'in_app',
  'error.main_thread': 'main_thread',
  symbolicated_in_app: 'symbolicated_in_app',
}

/** What a term asks of the frames of an event, each value of any of them; undefined: it asks of something else. */
export function framesAsked(term: Term): EventFilter | undefined {
  if (!('key' in term) || ('tag' in term && term.tag)) return undefined
  const key = frameKeyOf(term.key)
  if (key === undefined) return undefined
  if (term.op === 'has') return { op: 'frame', key, match: 'has', value: '' }
  if (term.op === 'flag') return { op: 'frame', key, match: 'is', value: String(term.value) }
  if (term.op !== 'match') return undefined
  const of = term.values.map(
    ({ text, wild }): EventFilter =>
      text === ''
        ? { op: 'not', of: { op: 'frame', key, match: 'has', value: '' } }
        : { op: 'frame', key, match: wild ? 'like' : 'is', value: text },
  )
  return of.length === 1 ? of[0] : { op: 'or', of }
}
