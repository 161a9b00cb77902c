import type { Config } from '../base/config.ts'
import { selfProject } from '../query/self-project.ts'
import type { FromApp, ToApp } from '../serve/messages.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { dsnOf } from '../wire/dsn.ts'

export type Link = { send(message: FromApp): void; listen(listener: (message: ToApp) => void): void }

/** Sends key snapshots to process main and waits until it uses them. They include the key of our own project. */
export function createKeyLine(link: Link, meta: MetaStore, config: Config) {
  const waiting = new Map<number, () => void>()
  let last = 0
  let line: Promise<void> = Promise.resolve()
  const send = async (done: () => void) => {
    const id = ++last
    const snapshot = await meta.projects.keySnapshot()
    waiting.set(id, done)
    link.send({ kind: 'keys', id, snapshot })
    link.send({ kind: 'self', dsn: await selfDsnOf(meta, config) })
  }
  return {
    acknowledged: (id: number) => {
      waiting.get(id)?.()
      waiting.delete(id)
    },
    publish: async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      // One after the other: an older snapshot must not arrive after a newer snapshot.
      const sent = line.then(() => send(resolve))
      line = sent.catch(() => undefined)
      await sent
      await promise
    },
  }
}

/** Returns the DSN for the screens' own errors: the "mishap" project of the first organization. */
export async function selfDsnOf(meta: MetaStore, config: Config): Promise<string | undefined> {
  if (!config.selfReporting) return undefined
  const organization = (await meta.organizations.organizations())[0]
  if (!organization) return undefined
  const project = await selfProject(meta, organization.id)
  const key = project && (await meta.projects.keysOf(project.id)).find((projectKey) => projectKey.active)
  return key && dsnOf(config.url, key)
}
