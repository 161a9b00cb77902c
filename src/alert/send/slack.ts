import type { Message } from '../message/message.ts'
import { html } from '../message/message.ts'
import { type ChatParts, chatParts, inert } from './parts.ts'
import { acceptedAnswer, checkedUrl, postJson, shownUrl, type Transport } from './transport.ts'

/** A block as Slack takes it: https://docs.slack.dev/reference/block-kit/blocks */
type SlackBlock = { type: string; [key: string]: unknown }

/** Slack refuses longer texts. */
const textMax = 2900
/** Slack takes 50 blocks. A summary has up to 20 issues. */
const detailsMax = 20

/** Escapes the three characters that Slack interprets, and splits mentions for servers that read Markdown instead. */
export const mrkdwn = (text: string): string => html(inert(text)).replaceAll('&quot;', '"').replaceAll('&#39;', "'")

/** Without verbatim, Slack turns addresses and names in the text into links and mentions. */
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text: cut(text), verbatim: true } })
const context = (text: string) => ({
  type: 'context',
  elements: [{ type: 'plain_text', text: cut(inert(text)), emoji: false }],
})
const link = (text: string, url: string) => `<${url}|${mrkdwn(text).replaceAll('|', '¦')}>`
const cut = (text: string): string => text.slice(0, textMax).toWellFormed()

const button = (text: string, more: object) => ({ type: 'button', text: { type: 'plain_text', text }, ...more })

/** The actions of an issue's buttons, by the id that Slack sends back. */
const slackActions = { resolve: 'Resolve', assign: 'Assign to me', archive: 'Archive' } as const

/** The buttons of one issue. The value names it; the call that comes back is signed by Slack. */
function buttonsOf(issueId: number): SlackBlock {
  return {
    type: 'actions',
    block_id: `issue-${issueId}`,
    elements: Object.entries(slackActions).map(([name, text]) =>
      button(text, { action_id: name, value: String(issueId) }),
    ),
  }
}

function blocksOf(parts: ChatParts, buttons: SlackBlock[]): SlackBlock[] {
  return [
    section(`*${link(parts.headline, parts.open)}*`),
    ...(parts.lines.length ? [context(parts.lines.join('\n'))] : []),
    ...parts.items
      .slice(0, detailsMax)
      .flatMap((item) => [
        section(link(item.title, item.url)),
        ...(item.details.length ? [context(item.details.join('\n'))] : []),
      ]),
    ...(parts.more ? [context(parts.more)] : []),
    ...(parts.acknowledge
      ? [{ type: 'actions', elements: [button('Acknowledge', { url: parts.acknowledge, action_id: 'open' })] }]
      : []),
    ...buttons,
  ]
}

/** Returns a message for Slack. `withButtons`: for an app that receives the clicks. */
export function slackOf(message: Message, withButtons: boolean): { text: string; blocks: SlackBlock[] } {
  const parts = chatParts(message)
  const [only] = message.alerts.length === 1 ? message.alerts : []
  const buttons = withButtons && only ? [buttonsOf(only.issue.id)] : []
  return { text: mrkdwn(parts.headline), blocks: blocksOf(parts, buttons) }
}

/** Incoming webhooks of Slack: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const slack: Transport<object> = {
  kind: 'slack',
  fields: [{ name: 'target', type: 'url', required: true }],
  check: (input) => ({ target: checkedUrl(input) }),
  shown: ({ target }) => shownUrl(target),
  format: (message) => slackOf(message, false),
  send: async (deps, config, { message, deliveryId }) => {
    const body = JSON.stringify(slack.format(message, config, deliveryId))
    return acceptedAnswer(await postJson(deps, { url: config.target ?? '', body }), deps.clock.now())
  },
}
