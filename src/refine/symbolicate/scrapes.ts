import type { NormalEvent } from '../../domain/event.ts'
import type { EventEffect, ProjectSettings } from '../../store/meta/meta.ts'
import { scrapeName } from '../../store/meta/projects/scrape.ts'
import { addressOf } from './paths.ts'

/** Maximum scripts per event. */
const scrapesMax = 8
const urlMax = 1000

/**
 * The public scripts of an event's frames that nobody uploaded: scripts without a file, and scripts that were fetched
 * before, because those can have changed. Frames without a line belong to pages, not to scripts.
 */
export function scrapesOf(event: NormalEvent): string[] {
  const names = new Set<string>()
  const holders = [...(event.exception?.values ?? []), ...(event.threads?.values ?? []), event]
  for (const { stacktrace, raw_stacktrace: raw } of holders)
    for (const [at, { data, ...frame }] of (stacktrace?.frames ?? []).entries()) {
      const sent = (data?.symbolicated && raw?.frames[at]) || frame
      if ((sent.platform ?? event.platform) !== 'javascript' || (sent.lineno ?? 0) < 1) continue
      const isFetched = data?.resolved_with === 'scraping'
      if (data?.symbolicated ? !isFetched : data?.reason !== undefined && data.reason !== 'file_missing' && !isFetched)
        continue
      const url = addressOf(sent.abs_path ?? '')
      if (!/^https?:\/\//i.test(url) || url.length > urlMax || !URL.canParse(url)) continue
      names.add(scrapeName(event.release ?? '', event.dist ?? '', url))
      if (names.size >= scrapesMax) return [...names]
    }
  return [...names]
}

/** Adds the public scripts to fetch to an event's effect, if its project has that enabled. */
export function withScrapes(effect: EventEffect, event: NormalEvent, settings: ProjectSettings): EventEffect {
  const scrapes = settings.scrape ? scrapesOf(event) : []
  return scrapes.length > 0 ? { ...effect, scrapes } : effect
}
