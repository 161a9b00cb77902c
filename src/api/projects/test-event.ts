import { MishapError } from '../../base/errors.ts'
import type { App } from '../../processes/parts.ts'
import type { Project } from '../../store/meta/meta.ts'

const answerMsMax = 5000

/** Returns the address of this installation on its own machine. */
function listenerOf(app: App): string {
  const { host, port } = app.config
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return `http://${address}:${port}`
}

/**
 * Builds a sample event with what a real one has: code around the failing line, and what happened before. Its type and
 * tag distinguish it from real ones. It names no release and no user, because both would stay after its removal. Its
 * platform is `other`: frames of JavaScript would ask for source maps that nobody has.
 */
function eventOf(id: string, nowMs: number) {
  const frame = (name: string, lineno: number, code: readonly [string, string, string]) => ({
    filename: 'sample/checkout.js',
    function: name,
    lineno,
    pre_context: [code[0]],
    context_line: code[1],
    post_context: [code[2]],
    in_app: true,
  })
  const crumb = (secondsBefore: number, what: Record<string, unknown>) => ({
    timestamp: nowMs / 1000 - secondsBefore,
    ...what,
  })
  return {
    event_id: id,
    timestamp: nowMs / 1000,
    platform: 'other',
    level: 'error',
    environment: 'test',
    tags: { mishap: 'test-event' },
    breadcrumbs: {
      values: [
        crumb(9, { category: 'navigation', data: { from: '/cart', to: '/checkout' } }),
        crumb(3, { category: 'ui.click', message: 'button#pay' }),
        crumb(1, { category: 'fetch', type: 'http', data: { method: 'GET', url: '/api/cart', status_code: 500 } }),
      ],
    },
    exception: {
      values: [
        {
          type: 'MishapTestError',
          value: 'This is a test event. Everything from the listener to this screen works.',
          mechanism: { type: 'generic', handled: true },
          stacktrace: {
            frames: [
              frame('checkout', 12, [
                'function checkout(cart) {',
                '  const total = totalOf(cart)',
                '  return pay(total)',
              ]),
              frame('totalOf', 4, [
                'function totalOf(cart) {',
                '  return cart.items.reduce((sum, item) => sum + item.price, 0)',
                '}',
              ]),
            ],
          },
        },
      ],
    },
  }
}

/**
 * Sends one test event over HTTP with the project's own key, like an SDK. Returns its id. Throws VALIDATION if the
 * project has no active key or the event is refused (with the reason).
 */
export async function sendTestEvent(app: App, project: Project): Promise<{ id: string }> {
  const key = (await app.meta.projects.keysOf(project.id)).find((projectKey) => projectKey.active)
  if (!key) throw new MishapError('VALIDATION', { detail: 'The project has no active key.' })
  const id = crypto.randomUUID().replaceAll('-', '')
  const body = `${JSON.stringify({ event_id: id, sent_at: new Date(app.clock.now()).toISOString() })}\n{"type":"event"}\n${JSON.stringify(eventOf(id, app.clock.now()))}\n`
  // Send an allowed origin, so that projects with an origin check accept the event.
  const origin = project.allowedOrigins.find((allowedOrigin) => /^https?:\/\/[^*]+$/.test(allowedOrigin))
  let answer: Response
  try {
    answer = await fetch(
      `${listenerOf(app)}/api/${project.id}/envelope/?sentry_key=${key.publicKey}&sentry_version=7&sentry_client=mishap.test/1`,
      {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-sentry-envelope', ...(origin ? { origin } : {}) },
        signal: AbortSignal.timeout(answerMsMax),
      },
    )
  } catch {
    throw new MishapError('VALIDATION', {
      detail: 'The listener did not answer.',
      causes: ['Check MISHAP_HOST and MISHAP_PORT.'],
    })
  }
  if (!answer.ok) {
    const detail = ((await answer.json().catch(() => ({}))) as { detail?: unknown }).detail
    throw new MishapError('VALIDATION', {
      detail: `The test event was refused: ${typeof detail === 'string' ? detail : `HTTP ${answer.status}`}`,
    })
  }
  return { id }
}
