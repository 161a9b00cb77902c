import { LRUCache } from 'lru-cache'
import type { Outgoing } from '../../base/outgoing.ts'
import { mrkdwn, slackOf } from './slack.ts'
import { acceptedAnswer, fieldError, jsonOf, postJson, refusalOf, type Transport, textIn } from './transport.ts'

const linesMax = 500
const lineOfPeople = /^([UW][A-Z0-9]{2,20})\s+(\S+@\S+)$/

/** Returns the e-mail address of each Slack user that an administrator wrote down. */
export const peopleIn = (text = ''): Map<string, string> =>
  new Map(
    text
      .split('\n')
      .map((row) => lineOfPeople.exec(row.trim()))
      .flatMap((found) => (found?.[1] && found[2] ? [[found[1], found[2].toLowerCase()] as const] : [])),
  )

/** An app of Slack with buttons: https://docs.slack.dev/reference/methods/chat.postMessage */
export const slack_app: Transport<object> = {
  kind: 'slack_app',
  fields: [
    { name: 'token', type: 'secret', required: true },
    { name: 'signing', type: 'secret', required: true },
    { name: 'target', type: 'text', required: true },
    { name: 'people', type: 'lines', required: false },
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

/** Returns the e-mail address of a Slack user; undefined if Slack does not tell it. */
export type SlackPeople = (token: string, userId: string) => Promise<string | undefined>

/**
 * Returns a reader of the e-mail addresses of Slack users (https://docs.slack.dev/reference/methods/users.info), which
 * asks once in ten minutes. Slack waits three seconds for the answer to a click.
 */
export function createSlackPeople(outgoing: Outgoing): SlackPeople {
  const known = new LRUCache<string, string>({ max: 5000, ttl: 600_000 })
  return async (token, userId) => {
    const cached = known.get(`${token} ${userId}`)
    if (cached !== undefined) return cached
    const answer = await outgoing.send({
      method: 'GET',
      url: `https://slack.com/api/users.info?user=${encodeURIComponent(userId)}`,
      headers: { authorization: `Bearer ${token}`, 'user-agent': 'Mishap' },
    })
    const email = textIn(answer, 'user', 'profile', 'email').toLowerCase()
    if (email === '') return undefined
    known.set(`${token} ${userId}`, email)
    return email
  }
}

/** Answers the person who clicked a button, in a message that only they see. The address is valid for 30 minutes. */
export async function answerSlack(outgoing: Outgoing, responseUrl: string, text: string): Promise<void> {
  // The call is signed by Slack, so this is Slack's address. Anything else gets no answer of ours.
  if (new URL(responseUrl).origin !== 'https://hooks.slack.com') return
  const body = JSON.stringify({ response_type: 'ephemeral', replace_original: false, text: mrkdwn(text) })
  await postJson({ outgoing }, { url: responseUrl, body })
}
