import { slackOf } from './slack.ts'
import { acceptedAnswer, fieldError, jsonOf, postJson, refusalOf, type Transport, textIn } from './transport.ts'

const linesMax = 500
/** A Slack user id and an e-mail address. */
export const lineOfPeople = /^([UW][A-Z0-9]{2,20})\s+(\S+@\S+)$/

/** An app of Slack with buttons: https://docs.slack.dev/reference/methods/chat.postMessage */
export const slack_app: Transport<object> = {
  kind: 'slack_app',
  fields: [
    // The token says who a user of Slack is, too.
    { name: 'token', type: 'secret', required: true, isManaged: true },
    { name: 'signing', type: 'secret', required: true, isManaged: true },
    { name: 'target', type: 'text', required: true },
    { name: 'people', type: 'lines', required: false, isManaged: true },
  ],
  check: ({ token = '', signing = '', target = '', people = '' }) => {
    if (!/^xoxb-[\w-]{10,200}$/.test(token.trim())) throw fieldError('token', 'A bot token, which starts with xoxb-.')
    if (!/^[0-9a-f]{32}$/.test(signing.trim()))
      throw fieldError('signing', 'The signing secret has 32 characters, 0-9 and a-f.')
    if (!/^([CG][A-Z0-9]{2,20}|#[^\s#]{1,80})$/.test(target.trim()))
      throw fieldError('target', 'The id of a channel, such as C012AB3CD, or its name with #.')
    const rows = people.split('\n').filter((row) => row.trim() !== '')
    const wrong = rows.find((row) => !lineOfPeople.test(row.trim()))
    if (wrong !== undefined || rows.length > linesMax)
      throw fieldError(
        'people',
        `A Slack user id and an address in each line, such as U012AB3CD ann@example.com; at most ${linesMax}.`,
      )
    return {
      token: token.trim(),
      signing: signing.trim(),
      target: target.trim(),
      ...(rows.length ? { people: rows.join('\n') } : {}),
    }
  },
  shown: ({ target = '' }) => target,
  format: (message, { target = '' }) => ({
    channel: target,
    ...slackOf(message, true),
    unfurl_links: false,
    unfurl_media: false,
  }),
  send: async (deps, config, { message, deliveryId }) => {
    const answer = await postJson(deps, {
      url: 'https://slack.com/api/chat.postMessage',
      body: JSON.stringify(slack_app.format(message, config, deliveryId)),
      headers: { authorization: `Bearer ${config.token}`, 'content-type': 'application/json; charset=utf-8' },
    })
    // Slack answers 200 to most errors.
    if (jsonOf(answer).ok !== true) throw refusalOf(answer, deps.clock.now(), { words: textIn(answer, 'error') })
    const { channel, ts } = jsonOf(answer)
    return {
      answer: `${acceptedAnswer(answer, deps.clock.now()).answer.slice(0, 3)} ok, channel ${String(channel)}, message ${String(ts)}`,
    }
  },
}
