import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Observe } from '../base/observe.ts'
import type { Outgoing, OutgoingAnswer } from '../base/outgoing.ts'
import type { Artifacts } from '../operations/artifacts.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { DueScrape, ScrapeSettings } from '../store/meta/projects/scrape.ts'

export type ScrapeDeps = {
  clock: Clock
  observe: Observe
  meta: MetaWith<'artifacts.scrapeSettings' | 'artifacts.dueScrapes' | 'artifacts.setScrape' | 'artifacts.dropScrapes'>
  artifacts: Pick<Artifacts, 'addScraped'>
  outgoing: Outgoing
  /** Decrypts a sealed value. */
  open(sealed: string): string
  /** Returns whether an address matches the origins of a project. */
  allowed(url: string, origins: readonly string[]): boolean
  /** Returns the source map reference of a script. `url` is undefined for an inline map. */
  mapOf(
    url: string,
    headers: Readonly<Record<string, string>>,
    script: string,
  ): { reference: string; url: string | undefined } | undefined
  /** Returns a number from 0 to 1. */
  random(): number
}

/** Downloads public scripts that nobody uploaded, and their source maps. */
export type Scraping = {
  /** Downloads all due scripts. For the jobs table. */
  run(): Promise<Record<string, unknown>>
}

const hourMs = 3_600_000
/** Maximum inflated bytes of a script or map, and its time limit in ms including redirects. */
export const scrapeLimits = { bytesMax: 32 * 1024 * 1024, timeoutMs: 15_000 }
/** Scripts per run. The next run takes the rest. */
const dueMax = 50
const atOnce = 4
/** Scripts that no event has used for this long are dropped. */
const retentionMs = 30 * 24 * hourMs
const tokenHeader = 'x-sentry-token'

/** A user-readable reason why a script cannot be used. */
class Unusable extends Error {}

/** An hour, or up to a quarter less, so that scripts found together are not requested together. */
const nextMs = ({ clock, random }: ScrapeDeps) => clock.now() + Math.floor(hourMs * (1 - random() / 4))

/** Tokens only go to named hosts: an event can contain any address. `https://*` and `*:443` also mean all hosts. */
const namesOrigins = ({ origins }: ScrapeSettings) =>
  origins.length > 0 && !origins.some((origin) => /^(?:[^/]*:\/\/)?\*(?::|$)/.test(origin.trim()))

async function fetchText(deps: ScrapeDeps, settings: ScrapeSettings, url: string): Promise<OutgoingAnswer> {
  const token = settings.sealedToken !== '' && namesOrigins(settings) ? deps.open(settings.sealedToken) : ''
  const response = await deps.outgoing.send({
    method: 'GET',
    url,
    verifyTls: settings.verifyTls,
    headers: { 'user-agent': 'Mishap', accept: '*/*', ...(token === '' ? {} : { [tokenHeader]: token }) },
    allows: (hop) => deps.allowed(hop.href, settings.origins),
  })
  if (response.status !== 200) throw new Unusable(`It answered ${response.status}.`)
  // Many servers answer missing files with an HTML page.
  if (/^\s*</.test(response.body.subarray(0, 200).toString('latin1')))
    throw new Unusable('It answered with an HTML page.')
  return response
}

/** Downloads and stores a script and its map. Throws Unusable, and errors of Outgoing and the blob store. */
async function fetchDue(deps: ScrapeDeps, due: DueScrape, settings: ScrapeSettings): Promise<void> {
  const script = await fetchText(deps, settings, due.url)
  const named = deps.mapOf(due.url, script.headers, script.body.toString())
  if (!named) throw new Unusable('The script names no source map.')
  // An inline map needs no header.
  const headers: Record<string, string> = named.url === undefined ? {} : { sourcemap: named.reference }
  const files = [{ url: due.url, bytes: script.body, headers, isMap: false }]
  const { url } = named
  if (url !== undefined) {
    const map = await fetchText(deps, settings, url).catch((error: unknown) => {
      throw new Unusable(`Its source map: ${messageOf(error)}`)
    })
    files.push({ url, bytes: map.body, headers: {}, isMap: true })
  }
  await deps.artifacts.addScraped({ ...due, files })
}

/** Returns the user-readable reason of a failure. */
function messageOf(error: unknown): string {
  if (error instanceof Unusable || error instanceof MishapError) return error.message.slice(0, 300)
  return 'It could not be stored.'
}

async function scrape(deps: ScrapeDeps, due: DueScrape): Promise<boolean> {
  const { meta, clock, observe } = deps
  const settings = await meta.artifacts.scrapeSettings(due.projectId)
  let failure = ''
  try {
    await fetchDue(deps, due, settings)
  } catch (error) {
    failure = messageOf(error)
    observe.debug({ project: due.projectId, failure }, 'a script could not be fetched')
  }
  await meta.artifacts.setScrape(due, { nextMs: nextMs(deps), fetchedMs: clock.now(), failure })
  return failure === ''
}

/** Creates the job. Nothing runs before `run`. */
export function createScraping(deps: ScrapeDeps): Scraping {
  const drops = { nextMs: 0 }
  return {
    run: async () => {
      const due = await deps.meta.artifacts.dueScrapes(deps.clock.now(), dueMax)
      const done: boolean[] = []
      const left = [...due]
      const worker = async () => {
        for (let item = left.shift(); item; item = left.shift()) done.push(await scrape(deps, item))
      }
      await Promise.all(Array.from({ length: atOnce }, worker))
      const nowMs = deps.clock.now()
      if (nowMs >= drops.nextMs) {
        await deps.meta.artifacts.dropScrapes(nowMs - retentionMs)
        drops.nextMs = nowMs + hourMs
      }
      const fetched = done.filter(Boolean).length
      return { fetched, failed: done.length - fetched }
    },
  }
}
