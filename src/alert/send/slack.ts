import { slackOf } from '../message/message.ts'
import { acceptedAnswer, checkedUrl, postJson, shownUrl, type Transport } from './transport.ts'

/** An incoming webhook of Slack. Mattermost and Rocket.Chat understand the same body. */
export const slack: Transport<object> = {
  kind: 'slack',
  fields: [{ name: 'target', type: 'url', required: true }],
  check: (input) => ({ target: checkedUrl(input) }),
  shown: ({ target }) => shownUrl(target),
  format: slackOf,
  send: async (deps, config, { message, deliveryId }) => {
    const body = JSON.stringify(slack.format(message, config, deliveryId))
    return acceptedAnswer(await postJson(deps, { url: config.target ?? '', body }), deps.clock.now())
  },
}
