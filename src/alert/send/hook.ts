import { createHmac } from 'node:crypto'
import type { Outgoing } from '../../base/outgoing.ts'

type Hook = {
  url: string
  body: object
  /** Signs the call; '' for no signature. */
  secret: string
  deliveryId: number
  nowMs: number
}

/** Returns `v1=` and the hex HMAC-SHA256 of `${timestamp}.${body}`. Signing the time prevents replay attacks. */
export function signatureOf(secret: string, timestampS: number, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestampS}.${body}`).digest('hex')}`
}

/** Posts JSON to a webhook. Throws the errors of Outgoing, and an Error for an answer other than 2xx. */
export async function sendHook(outgoing: Outgoing, hook: Hook): Promise<void> {
  const body = JSON.stringify(hook.body)
  const timestampS = Math.floor(hook.nowMs / 1000)
  const answer = await outgoing.send({
    method: 'POST',
    url: hook.url,
    body,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'Mishap',
      'x-mishap-delivery': String(hook.deliveryId),
      'x-mishap-timestamp': String(timestampS),
      ...(hook.secret ? { 'x-mishap-signature': signatureOf(hook.secret, timestampS, body) } : {}),
    },
  })
  if (answer.status < 200 || answer.status > 299) throw new Error(`The address answered ${answer.status}.`)
}
