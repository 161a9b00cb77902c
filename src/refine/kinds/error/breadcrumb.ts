import type { NormalBreadcrumb } from '../../../domain/event.ts'
import {
  addError,
  addMeta,
  boundedObject,
  type Loose,
  listOf,
  type MetaNotes,
  object,
  own,
  text,
} from '../../pipeline/value.ts'
import { levelOf } from './level.ts'
import { seconds } from './time.ts'

/** Breadcrumbs kept per event. The newest ones stay. */
const breadcrumbsMax = 100

/** Reads breadcrumbs in any shape: at most the 100 newest, with times moved by `shiftS` seconds. */
export function readBreadcrumbs(to: MetaNotes, value: unknown, shiftS: number): NormalBreadcrumb[] {
  const sent = listOf(value)
  const list = sent.slice(-breadcrumbsMax)
  to.path.push('breadcrumbs', 'values')
  if (list.length < sent.length) addMeta(to, '', { len: sent.length, rem: [['!limit', 'x']] })
  const out: NormalBreadcrumb[] = []
  for (const entry of list) {
    const loose = object(entry) ?? (typeof entry === 'string' && entry ? { message: entry } : undefined)
    if (!loose) continue
    to.path.push(out.length)
    out.push(readBreadcrumb(to, loose, shiftS))
    to.path.pop()
  }
  to.path.length -= 2
  return out
}

function readBreadcrumb(to: MetaNotes, loose: Loose, shiftS: number): NormalBreadcrumb {
  const out: NormalBreadcrumb = {
    type: text(to, 'type', own(loose, 'type') ?? own(loose, 'ty'), 64) ?? 'default',
    level: levelOf(own(loose, 'level')) ?? 'info',
  }
  const sentTime = own(loose, 'timestamp')
  const time = seconds(sentTime)
  if (time !== undefined) out.timestamp = Math.round((time + shiftS) * 1e6) / 1e6
  else if (sentTime !== undefined && sentTime !== null)
    addError(to, 'invalid_data', 'timestamp', sentTime, 'expected a time')
  const category = text(to, 'category', own(loose, 'category'), 128)
  if (category) out.category = category
  const message = text(to, 'message', own(loose, 'message'), 8192, 200)
  if (message) out.message = message
  const data = boundedObject(to, 'data', own(loose, 'data'), { depth: 5, bytes: 2048 })
  if (data && Object.keys(data).length) out.data = data
  return out
}
