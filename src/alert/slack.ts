import { LRUCache } from 'lru-cache'
import type { Outgoing } from '../base/outgoing.ts'
import { mrkdwn } from './send/slack.ts'
import { lineOfPeople } from './send/slack-app.ts'
import { postJson, textIn } from './send/transport.ts'

/** Returns the e-mail address of each Slack user that an administrator wrote down. */
export const peopleIn = (text = ''): Map<string, string> =>
  new Map(
    text
      .split('\n')
      .map((row) => lineOfPeople.exec(row.trim()))
      .flatMap((found) => (found?.[1] && found[2] ? [[found[1], found[2].toLowerCase()] as const] : [])),
  )

/** Returns the e-mail address of a Slack user; undefined if Slack does not tell it. */
export type SlackPeople = (token: string, userId: string) => Promise<string | undefined>

/**
 * Returns a reader of the e-mail addresses of Slack users (https://docs.slack.dev/reference/methods/users.info), which
 * asks once in ten minutes.
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

/**
 * Answers the person who clicked a button, in a message that only they see. The address is valid for 30 minutes. Returns
 * false if Slack asks to try again. Throws the errors of Outgoing.
 */
export async function answerSlack(outgoing: Outgoing, responseUrl: string, text: string): Promise<boolean> {
  // The call is signed by Slack, so this is Slack's address. Anything else gets no answer of ours.
  if (new URL(responseUrl).origin !== 'https://hooks.slack.com') return true
  const body = JSON.stringify({ response_type: 'ephemeral', replace_original: false, text: mrkdwn(text) })
  const { status } = await postJson({ outgoing }, { url: responseUrl, body })
  // Other refusals, such as of an address that is too old, stay as they are.
  return status !== 429 && status < 500
}
