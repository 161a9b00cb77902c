import type { Message } from '../message/message.ts'
import { type ChatParts, chatParts } from './parts.ts'
import { acceptedAnswer, checkedUrl, postJson, shownUrl, type Transport } from './transport.ts'

const colors = { critical: 'Attention', warning: 'Warning', info: 'Accent', ok: 'Good' } as const

/** A text block would interpret Markdown and its links. The runs of a rich text block are plain text. */
const paragraph = (text: string, more: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...more }],
})

const action = (title: string, url: string) => ({ type: 'Action.OpenUrl', title, url })

function cardOf(parts: ChatParts, color: string): object {
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      paragraph(parts.headline, { weight: 'Bolder', size: 'Medium', color }),
      ...parts.lines.map((text) => paragraph(text)),
      ...parts.items.flatMap((item) => [
        {
          ...paragraph(item.title, { weight: 'Bolder', selectAction: action('Open', item.url) }),
          separator: true,
        },
        ...item.details.map((detail) => paragraph(detail, { isSubtle: true })),
      ]),
      ...(parts.more ? [paragraph(parts.more)] : []),
    ],
    actions: [
      action('Open in Mishap', parts.open),
      ...(parts.acknowledge ? [action('Acknowledge', parts.acknowledge)] : []),
    ],
    msteams: { width: 'Full' },
  }
}

/** Workflows of Microsoft Teams: https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook */
export const teams: Transport<object> = {
  kind: 'teams',
  fields: [{ name: 'target', type: 'url', required: true }],
  check: (input) => ({ target: checkedUrl(input) }),
  shown: ({ target }) => shownUrl(target),
  format: (message: Message) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: cardOf(chatParts(message), colors[message.level]),
      },
    ],
  }),
  send: async (deps, config, { message, deliveryId }) => {
    const body = JSON.stringify(teams.format(message, config, deliveryId))
    return acceptedAnswer(await postJson(deps, { url: config.target ?? '', body }), deps.clock.now())
  },
}
