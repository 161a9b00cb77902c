import { z } from 'zod'
import { digits, time } from '../scalars.ts'

/** users/me/push-browsers/: one browser that gets push messages. Its address at the push service is never returned. */
export const restPushBrowser = z
  .strictObject({
    id: digits,
    browser: z.string().describe('For example "Firefox on Linux".'),
    dateCreated: time,
    dateGone: time.nullable().describe('When its push service said that the browser is gone. It gets no messages.'),
  })
  .meta({ id: 'PushBrowser' })
export type RestPushBrowser = z.infer<typeof restPushBrowser>

/** The caller's browsers, and the key that a browser passes to `pushManager.subscribe()`. */
export const restPush = z.strictObject({
  publicKey: z.string().describe('The public VAPID key in base64url, as applicationServerKey.'),
  browsers: z.array(restPushBrowser),
})

/** Body of a new browser: the JSON of its PushSubscription. Other fields are ignored. */
export const pushBrowserBody = z.object({
  endpoint: z.string().max(1000),
  keys: z.object({ p256dh: z.string().max(200), auth: z.string().max(100) }),
})
