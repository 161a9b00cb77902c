import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Observe } from '../base/observe.ts'
import type { Outgoing, OutgoingAnswer } from '../base/outgoing.ts'
import type { Artifacts } from '../operations/artifacts.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import type { DueScrape, ScrapeSettings } from '../store/meta/projects/scrape.ts'

export type ScrapeDeps = {
  clock: Clock
  observe: Observe
  meta: Pick<MetaStore, 'scrapeSettings' | 'dueScrapes' | 'setScrape' | 'dropScrapes'>
  artifacts: Pick<Artifacts, 'addScraped'>
  outgoing: Outgoing
  /** Reads what was sealed. */
  open(sealed: string): string
  /** Whether an address is among a project's origins. */
  allowed(url: string, origins: readonly string[]): boolean
  /** The map that a script names; `url` is undefined for one in the script itself. */
  mapOf(
    url: string,
    headers: Readonly<Record<string, string>>,
    script: string,
  ): { reference: string; url: string | undefined } | undefined
  /** A number from 0 to 1. */
  random(): number
}

/** Fetches scripts that nobody uploaded, and their maps, from where they are public. */
export type Scraping = {
  /** Fetches what is due. For the jobs table. */
  run(): Promise<Record<string, unknown>>
}

const hourMs = 3_600_000
/** Bytes of a script or a map that is fetched, inflated, and ms for it with its redirects. */
export const scrapeLimits = { bytesMax: 32 * 1024 * 1024, timeoutMs: 15_000 }
/** Scripts of one run: what is left waits for the next run. */
const dueMax = 50
const atOnce = 4
/** What no event has run for so long is forgotten. */
const keptMs = 30 * 24 * hourMs
const tokenHeader = 'x-sentry-token'

/** Why a script could not be used, in words for people. */
class Unusable extends Error {}

/** An hour, or up to a quarter less: what came together must not be asked for together. */
const nextMs = ({ clock, random }: ScrapeDeps) => clock.now() + Math.floor(hourMs * (1 - random() / 4))

/** A token goes to hosts that somebody named, never to all: an event may name any address. `https://*` and `*:443` are all, too. */
const namesOrigins = ({ origins }: ScrapeSettings) =>
  origins.length > 0 && !origins.some((origin) => /^(?:[^/]*:\/\/)?\*(?::|$)/.test(origin.trim()))

async function fetchText(deps: ScrapeDeps, settings: ScrapeSettings, url: string): Promise<OutgoingAnswer> {
  const token = settings.sealedToken !== '' && namesOrigins(settings) ? deps.open(settings.sealedToken) : ''
  const answer = await deps.outgoing.send({
    method: 'GET',
    url,
    verifyTls: settings.verifyTls,
    headers: { 'user-agent': 'Mishap', accept: '*/*', ...(token === '' ? {} : { [tokenHeader]: token }) },
    allows: (hop) => deps.allowed(hop.href, settings.origins),
  })
  if (answer.status !== 200) throw new Unusable(`It answered ${answer.status}.`)
  // A page for what is not there, as many servers have it.
  if (/^\s*</.test(answer.body.subarray(0, 200).toString('latin1')))
    throw new Unusable('It answered with an HTML page.')
  return answer
}

/** Fetches a script and its map and stores both. Throws Unusable, what Outgoing and the blob store throw. */
async function fetchOne(deps: ScrapeDeps, due: DueScrape, settings: ScrapeSettings): Promise<void> {
  const script = await fetchText(deps, settings, due.url)
  const named = deps.mapOf(due.url, script.headers, script.body.toString())
  if (!named) throw new Unusable('The script names no source map.')
  // A map in the script itself is found there.
  const headers: Record<string, string> = named.url === undefined ? {} : { sourcemap: named.reference }
  const files = [{ url: due.url, bytes: script.body, headers, isMap: false }]
  const { url } = named
  if (url !== undefined) {
    const map = await fetchText(deps, settings, url).catch((error: unknown) => {
      throw new Unusable(`Its source map: ${wordsOf(error)}`)
    })
    files.push({ url, bytes: map.body, headers: {}, isMap: true })
  }
  await deps.artifacts.addScraped({ ...due, files })
}

/** What a person is told of a failure. */
function wordsOf(error: unknown): string {
  if (error instanceof Unusable || error instanceof MishapError) return error.message.slice(0, 300)
  return 'It could not be stored.'
}

async function scrape(deps: ScrapeDeps, due: DueScrape): Promise<boolean> {
  const { meta, clock, observe } = deps
  const settings = meta.scrapeSettings(due.projectId)
  let failure = ''
  try {
    await fetchOne(deps, due, settings)
  } catch (error) {
    failure = wordsOf(error)
    observe.debug({ project: due.projectId, failure }, 'a script could not be fetched')
  }
  meta.setScrape(due, { nextMs: nextMs(deps), fetchedMs: clock.now(), failure })
  return failure === ''
}

/** Makes the job; nothing runs before `run`. */
export function createScraping(deps: ScrapeDeps): Scraping {
  return {
    run: async () => {
      const due = deps.meta.dueScrapes(deps.clock.now(), dueMax)
      const done: boolean[] = []
      const left = [...due]
      const worker = async () => {
        for (let item = left.shift(); item; item = left.shift()) done.push(await scrape(deps, item))
      }
      await Promise.all(Array.from({ length: atOnce }, worker))
      deps.meta.dropScrapes(deps.clock.now() - keptMs)
      const fetched = done.filter(Boolean).length
      return { fetched, failed: done.length - fetched }
    },
  }
}
