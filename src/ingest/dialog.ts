import { MishapError } from '../base/errors.ts'
import { normalizeId } from '../wire/ids.ts'
import { Refusal } from './answer.ts'
import { type DialogOptions, dialogSource } from './dialog/browser.ts'
import { type DialogTexts, dialogLanguage, dialogTexts } from './dialog/texts.ts'
import { envelopeReceiver } from './envelope.ts'
import { findKeyByDsn } from './key.ts'
import { receive } from './receive.ts'
import { drain, fail, type IngestRequest } from './request.ts'
import type { Target } from './routes.ts'

/** The form has three fields. The message has up to 4,096 characters, each up to 12 bytes when form-encoded. */
const formBytesMax = 64 * 1024
const textCharactersMax = 500
const path = /^\/api\/embed\/error-page\/?(?:\?|$)/

/** Returns whether the path is the crash-report dialog. The path has no project: the DSN in the query names it. */
export const isDialogPath = (url: string): boolean => path.test(url)

/** Returns the ingest target of a dialog request. */
export function dialogTarget(url: string): Target {
  const queryAt = url.indexOf('?')
  return {
    route: { name: 'envelope', projectId: 0, category: 'feedback', eventId: '' },
    query: new URLSearchParams(queryAt === -1 ? '' : url.slice(queryAt + 1)),
    auth: undefined,
    isDialog: true,
  }
}

const headers = {
  'content-type': 'application/javascript; charset=utf-8',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** Escapes client text for a script, so that no character ends the string, the script element or the line. */
const literal = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns the script that shows the dialog, with the texts and values from the query. */
function dialogScript(query: URLSearchParams, acceptLanguage: string, endpoint: string): string {
  const parameter = (name: string) => (query.get(name) ?? '').slice(0, textCharactersMax)
  const language = dialogLanguage(parameter('lang') || acceptLanguage)
  const texts = Object.fromEntries(
    Object.entries(dialogTexts[language]).map(([name, text]) => [name, parameter(name) || text]),
  ) as DialogTexts
  const options: DialogOptions = { endpoint, language, name: parameter('name'), email: parameter('email'), texts }
  return dialogSource(literal(options))
}

function badForm(what: string): Refusal {
  return new Refusal('ACCEPT_BODY_MALFORMED', 'bad_item', [what], 'The report is not complete.')
}

/** Builds the envelope that an SDK would send for the form. Throws ACCEPT_BODY_MALFORMED. */
function envelopeOf(form: URLSearchParams, eventId: string): Buffer {
  const comments = (form.get('comments') ?? '').trim()
  const email = (form.get('email') ?? '').trim()
  if (comments === '') throw badForm('comments: describe what happened')
  if (email !== '' && !/^[^\s@]+@[^\s@]+$/.test(email)) throw badForm('email: one address')
  const report = { event_id: eventId, name: form.get('name') ?? '', email, comments }
  return Buffer.from(`${JSON.stringify({ event_id: eventId })}\n{"type":"user_report"}\n${JSON.stringify(report)}\n`)
}

/** Answers GET with the dialog script and accepts POST with its form. The limits and rates of an envelope apply. */
export function handleDialog(request: IngestRequest): void {
  const { core, req, res, target } = request
  const { query } = target
  const found = findKeyByDsn(core.deps.keys(), query.get('dsn') ?? undefined, 0, request.origin)
  request.key = found.key
  if (found.error) throw found.error
  const eventId = normalizeId(query.get('eventId') ?? '')
  if (eventId === undefined)
    throw new Refusal('ACCEPT_BODY_MALFORMED', 'bad_event_id', [], 'eventId is not an event id.')
  if (req.method !== 'GET' && req.method !== 'POST') throw new MishapError('ACCEPT_METHOD')
  if (req.method === 'GET') {
    drain(core, req)
    const address = new URL('api/embed/error-page/', `${core.deps.config.url.replace(/\/$/, '')}/`)
    address.search = new URLSearchParams({ dsn: query.get('dsn') ?? '', eventId }).toString()
    const language = query.get('lang') ?? req.headers['accept-language'] ?? ''
    const body = Buffer.from(dialogScript(query, language, address.href))
    res.writeHead(200, { ...headers, 'content-length': body.length })
    res.end(body)
    return
  }
  receive(request, {
    bytesMax: formBytesMax,
    small: (ownRequest, body) => {
      try {
        envelopeReceiver.small(ownRequest, envelopeOf(new URLSearchParams(body.toString('utf8')), eventId))
      } catch (error) {
        fail(ownRequest, error)
      }
    },
  })
}
