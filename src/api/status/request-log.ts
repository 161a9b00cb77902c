import { catalogue, type ErrorCode } from '../../base/errors.ts'
import type { RestLoggedRequest, RestRequestLog } from '../../contract/request-log.ts'
import type { App } from '../../processes/parts.ts'
import type { Project } from '../../store/meta/meta.ts'
import { todoFor } from './outcome-advice.ts'

type LogEntry = ReturnType<App['requestLog']['of']>[number]

function toRest(entry: LogEntry): RestLoggedRequest {
  const { atMs, keyId, route, sdk, bytes, status, code, reason, eventId, items, more } = entry
  const codeAdvice = Object.hasOwn(catalogue, code) ? catalogue[code as ErrorCode].todo : ''
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
    todo: todoFor(reason) || codeAdvice,
    items: items.map((item) => ({ ...item, todo: todoFor(item.reason) })),
  }
}

/** Returns the newest requests of a project's keys with the outcome of each item. `key` (an id) limits it to one key. */
export async function requestLogOf(app: App, project: Project, key?: string): Promise<RestRequestLog> {
  const keys = await app.meta.projects.keysOf(project.id)
  const selected = keys.filter((projectKey) => key === undefined || String(projectKey.id) === key)
  return {
    keys: keys.map((projectKey) => ({
      id: String(projectKey.id),
      label: projectKey.label,
      public: projectKey.publicKey,
      isActive: projectKey.active,
    })),
    requests: app.requestLog.of(selected.map((projectKey) => projectKey.id)).map(toRest),
  }
}

/** Returns the newest requests without a known key. */
export const unkeyedRequests = (app: App): RestLoggedRequest[] => app.requestLog.of([0]).map(toRest)
