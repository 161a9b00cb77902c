import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { type RestDelivery, restDelivery } from '../../contract/alerts/notifications.ts'
import { alertReasonCode } from '../../domain/alerts/alert-reasons.ts'
import { sendAgain } from '../../operations/deliveries.ts'
import type { App } from '../../processes/parts.ts'
import type { Channel, Delivery } from '../../store/meta/issues/alerts.ts'
import { pageHeaders } from '../page.ts'
import { type Found, idOf, limitOf, organizationOf, pageQuery, type Route, route } from '../route.ts'

/** Deliveries of a page: some days of a busy channel. */
const pageDeliveries = 100

const iso = (ms: number) => new Date(ms).toISOString()

/** Returns the API form of a delivery. */
export function toRestDelivery(delivery: Delivery): RestDelivery {
  return {
    id: String(delivery.id),
    recipient: delivery.recipient,
    kind: delivery.kind,
    change: delivery.change,
    incident: delivery.incidentId === null ? null : String(delivery.incidentId),
    issues: delivery.items.map((alertedIssue) => String(alertedIssue.issueId)),
    more: delivery.more,
    status: delivery.status,
    attempts: delivery.attempts,
    error: delivery.error,
    errorCode: alertReasonCode(delivery.error) ?? null,
    dateCreated: iso(delivery.createdMs),
    dateSent: delivery.sentMs === null ? null : iso(delivery.sentMs),
    steps: delivery.steps.map(({ atMs, step, text }) => ({ date: iso(atMs), step, text })),
  }
}

/** Returns the channel of the path in its organization. Throws NOT_FOUND. */
export async function channelOf(app: App, found: Found, id: string | undefined): Promise<Channel> {
  const channel = /^\d{1,15}$/.test(id ?? '') ? await app.meta.alerts.channelById(Number(id)) : undefined
  if (!channel || channel.organizationId !== organizationOf(found).id) throw new MishapError('NOT_FOUND')
  return channel
}

const D = '/organizations/:org/notification-channels/:channel/deliveries'

/** The delivery log of a channel. */
export const deliveryRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: D,
    operationId: 'listDeliveries',
    summary: 'The messages of a channel of the last 30 days, newest first, with the steps of each.',
    action: 'channel:read',
    query: z.object({ ...pageQuery, status: restDelivery.shape.status.optional() }),
    response: z.array(restDelivery),
    handle: async ({ app, found, params, query, request }) => {
      const channel = await channelOf(app, found, params.channel)
      const limit = limitOf(query, pageDeliveries)
      const before = /^\d{1,15}$/.test(query.cursor ?? '') ? Number(query.cursor) : 0
      const filter = {
        organizationId: channel.organizationId,
        channelId: channel.id,
        ...(query.status === undefined ? {} : { status: query.status }),
        ...(before ? { beforeId: before } : {}),
      }
      const rows = await app.meta.alerts.listDeliveries(filter, limit + 1)
      const shown = rows.slice(0, limit)
      const page = {
        rows: shown.map(toRestDelivery),
        previous: { cursor: '0', results: before > 0 },
        next: { cursor: String(shown.at(-1)?.id ?? before), results: rows.length > limit },
        hits: undefined,
        walk: 'stable' as const,
      }
      return { body: page.rows, headers: pageHeaders(app.config.url, request.url, page) }
    },
  }),
  route({
    method: 'POST',
    path: `${D}/:delivery/send-again`,
    operationId: 'sendDeliveryAgain',
    summary: 'Sends a message once more, under the same id. 409 while it waits for an attempt.',
    action: 'channel:write',
    response: restDelivery,
    handle: async ({ app, actor, found, params }) => {
      const channel = await channelOf(app, found, params.channel)
      return { body: toRestDelivery(await sendAgain(app, actor, channel, idOf(params.delivery))) }
    },
  }),
]
