import { alertReasons } from '../../domain/alerts/alert-reasons.ts'
import type { Message } from '../message/message.ts'
import { chatParts } from './parts.ts'
import { acceptedAnswer, refusalOf, type Transport } from './transport.ts'

/** What the service worker of the screens shows. */
type PushContent = { title: string; body: string; url: string; tag: string }

const textMax = 300
/** A push service keeps the message for a browser that is off. After a day it is no news. */
const keptS = 86_400

/** Web push (RFC 8030, 8291, 8292) to the browsers of members who asked for it. */
export const push: Transport<PushContent> = {
  kind: 'push',
  fields: [],
  check: () => ({ target: 'members' }),
  shown: ({ target = '' }) => target,
  // A notification is plain text. At most 4,096 bytes fit in an encrypted record.
  format: (message: Message) => {
    const { headline, lines, more, open } = chatParts(message)
    return {
      title: headline.slice(0, textMax).toWellFormed(),
      body: [...lines, ...(more ? [more] : [])].join('\n').slice(0, textMax).toWellFormed(),
      url: open,
      tag: message.id,
    }
  },
  send: async (deps, config, { message, deliveryId, recipient }) => {
    const browser = await deps.push.browser(Number(recipient))
    // The person has signed the browser off since.
    if (!browser) return { answer: alertReasons.browser_gone }
    const request = await deps.push.encrypt(browser, JSON.stringify(push.format(message, config, deliveryId)), {
      keptS,
      isUrgent: message.level === 'critical' || message.kind === 'test',
    })
    const answer = await deps.outgoing.send(request)
    if (answer.status === 404 || answer.status === 410) {
      await deps.push.forget(browser.id)
      throw refusalOf(answer, deps.clock.now(), {
        words: 'The browser has withdrawn its subscription, so it was removed.',
      })
    }
    return acceptedAnswer(answer, deps.clock.now())
  },
}
