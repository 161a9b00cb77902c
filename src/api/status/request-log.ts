import { catalogue, type ErrorCode } from '../../base/errors.ts'
import type { RestLoggedRequest, RestRequestLog } from '../../contract/request-log.ts'
import type { App } from '../../processes/parts.ts'
import type { Project } from '../../store/meta/meta.ts'
import { todoFor } from './outcome-advice.ts'

type Note = ReturnType<App['intakes']['of']>[number]

function toRest(note: Note): RestLoggedRequest {
  const { atMs, keyId, route, sdk, bytes, status, code, reason, eventId, items, more } = note
  const known = Object.hasOwn(catalogue, code) ? catalogue[code as ErrorCode].todo : ''
  return {
    receivedAt: new Date(atMs).toISOString(),
    key: keyId === 0 ? null : String(keyId),
    route,
    sdk,
    bytes,
    status,
    code,
    reason,
    more,
    eventId: eventId || null,
    todo: todoFor(reason) || known,
    items: items.map((item) => ({ ...item, todo: todoFor(item.reason) })),
  }
}

/** Returns the newest requests of a project's keys with the outcome of each item. `key` (an id) limits it to one. */
export function requestLogOf(app: App, project: Project, key?: string): RestRequestLog {
  const keys = app.meta.keysOf(project.id)
  const asked = keys.filter((item) => key === undefined || String(item.id) === key)
  return {
    keys: keys.map((item) => ({
      id: String(item.id),
      label: item.label,
      public: item.publicKey,
      isActive: item.active,
    })),
    requests: app.intakes.of(asked.map((item) => item.id)).map(toRest),
  }
}

/** Returns the newest requests without a known key. */
export const strangeRequests = (app: App): RestLoggedRequest[] => app.intakes.of([0]).map(toRest)
