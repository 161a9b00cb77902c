import { z } from 'zod'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { newPushKeys, type PushKeys, pushRequest } from './send/push-service.ts'
import type { PushDeps } from './send/transport.ts'

/** Name of the meta value with the sealed key pair. */
const keysValue = 'push_keys'
const keysShape = z.object({ publicKey: z.string(), privateKey: z.string() })
const browserShape = z.object({ endpoint: z.string(), p256dh: z.string(), auth: z.string() })

type Deps = {
  meta: MetaWith<
    | 'values.getValue'
    | 'values.setValue'
    | 'pushBrowsers.browserById'
    | 'pushBrowsers.browsersOf'
    | 'pushBrowsers.endBrowser'
  > &
    MetaWith<'organizations.membersOf'>
  seal(text: string): string
  open(sealed: string): string
  url: string
  clock: { now(): number }
}

/** Push messages to browsers. */
type Push = PushDeps & {
  /** The public key that a browser subscribes with. The pair is created on the first call. */
  publicKey(): Promise<string>
}

/** Creates push messages with the keys of this data folder. If its secrets have changed, browsers must subscribe again. */
export function createPush({ meta, seal, open, url, clock }: Deps): Push {
  const stored = async (): Promise<PushKeys | undefined> => {
    const sealed = await meta.values.getValue(keysValue)
    try {
      return sealed ? keysShape.parse(JSON.parse(open(sealed))) : undefined
    } catch {
      return undefined
    }
  }
  const keys = async (): Promise<PushKeys> => {
    const found = await stored()
    if (found) return found
    const made = await newPushKeys()
    await meta.values.setValue(keysValue, seal(JSON.stringify(made)))
    return made
  }
  // Push services may write to the operator. They accept only https: and mailto: here.
  const subject = url.startsWith('https:') ? url : `mailto:mishap@${new URL(url).hostname}`
  return {
    publicKey: async () => (await keys()).publicKey,
    browser: async (id) => {
      const found = await meta.pushBrowsers.browserById(id)
      return found?.sealed ? { id, ...browserShape.parse(JSON.parse(open(found.sealed))) } : undefined
    },
    encrypt: async (browser, content, options) => pushRequest(await keys(), browser, content, { subject, ...options }),
    forget: (id) => meta.pushBrowsers.endBrowser(id, clock.now()),
  }
}

/** Returns the ids of all browsers of an organization's members that want push messages, as recipients. */
export async function pushRecipientsIn({ meta }: Pick<Deps, 'meta'>, organizationId: number): Promise<string[]> {
  const members = await meta.organizations.membersOf(organizationId)
  return (await meta.pushBrowsers.browsersOf(members.map((member) => member.userId))).map(({ id }) => String(id))
}
