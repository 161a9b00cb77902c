import type { Alerts } from '../alert/alert.ts'
import type { Actor } from '../auth/auth.ts'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Channel, Delivery } from '../store/meta/issues/alerts.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

type Deps = {
  meta: MetaWith<'alerts.deliveryById' | 'alerts.sendDeliveryAgain'>
  alerts: Pick<Alerts, 'kick'>
  clock: Pick<Clock, 'now'>
}

/**
 * Queues a message of a channel once more. It keeps its id, so that the receiver can recognize it. Throws NOT_FOUND, and
 * CONFLICT while it waits for an attempt.
 */
export async function sendAgain(deps: Deps, actor: Actor, channel: Channel, deliveryId: number): Promise<Delivery> {
  const { meta, alerts, clock } = deps
  const delivery = await meta.alerts.deliveryById(deliveryId)
  if (delivery?.channelId !== channel.id) throw new MishapError('NOT_FOUND')
  // A test was for the person who asked. They can send another test.
  if (delivery.kind === 'test') throw new MishapError('CONFLICT', { detail: 'A test message is not sent again.' })
  const queued = await meta.alerts.sendDeliveryAgain(deliveryId, actor.person.name || actor.person.email, clock.now())
  alerts.kick()
  return queued
}
