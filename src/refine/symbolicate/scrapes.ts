import type { NormalEvent } from '../../domain/event.ts'
import type { EventEffect, ProjectSettings } from '../../store/meta/meta.ts'
import { scrapeName } from '../../store/meta/projects/scrape.ts'
import { addressOf } from './paths.ts'

/** Scripts that one event asks for. */
const scrapesMax = 8
const urlMax = 1000

/**
 * Public scripts that an event's frames ran and that nobody uploaded: those without a file, and those that were fetched
 * before, which may be others by now. Frames without a line are of pages, not of scripts.
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

/** What an event does, with the public scripts to be fetched where its project wants that. */
export function withScrapes(effect: EventEffect, event: NormalEvent, settings: ProjectSettings): EventEffect {
  const scrapes = settings.scrape ? scrapesOf(event) : []
  return scrapes.length > 0 ? { ...effect, scrapes } : effect
}
