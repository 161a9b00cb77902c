import type { Diagnostics } from '../../domain/diagnostics.ts'
import type { NormalEvent } from '../../domain/event.ts'
import { type ReactError, reactError } from '../../domain/react-errors.ts'
import { agentOf, crawlerOf } from '../filter/rules.ts'
import type { Context } from '../pipeline/context.ts'
import type { Draft } from '../pipeline/draft.ts'
import { mayMatch } from './gate.ts'
import { hydrationOf, isHydration } from './hydration.ts'
import { invariantIn } from './invariants.ts'
import { loggedOf } from './logged.ts'
import { noiseOf } from './noise.ts'
import { skewOf } from './skew.ts'
import { type EventText, eventTextsOf } from './texts.ts'

/** Step: sets `findings.signs` if the event has any diagnostics. */
export function addDiagnostics({ event }: Draft, { head, tools }: Context): void {
  if (!isScript(event)) return
  const agent = agentOf(event, head)
  let crawler = tools.crawlers.get(agent)
  if (crawler === undefined) {
    crawler = crawlerOf(agent) ?? ''
    tools.crawlers.set(agent, crawler)
  }
  put(event, diagnosticsOf(event, crawler))
}

/** Repeats the step for a stored event whose frames have changed. Its sender is unknown now: a bot stays a bot. */
export function refreshDiagnostics(event: NormalEvent): void {
  if (!isScript(event)) return
  const bot = event.findings.signs?.noise?.kind === 'bot' ? event.findings.signs.noise.found : ''
  put(event, diagnosticsOf(event, bot))
}

/** Diagnostics exist only for React, Next.js and browsers. */
const isScript = ({ platform, csp }: NormalEvent): boolean =>
  (platform === 'javascript' || platform === 'node') && csp === undefined

function put(event: NormalEvent, found: Diagnostics): void {
  if (Object.keys(found).length > 0) event.findings.signs = found
  else delete event.findings.signs
  // An error that was only logged still counts as an error.
  if (found.logged && event.findings.kind === 'message') event.findings.kind = 'error'
}

/**
 * The diagnostics of a normalized event. Those that do not apply are absent. `crawler`: the name of the crawler that
 * loaded the page, '' if none. Pure. Never throws.
 */
export function diagnosticsOf(event: NormalEvent, crawler: string): Diagnostics {
  const out: Diagnostics = {}
  const eventTexts = eventTextsOf(event)
  const candidates = eventTexts.filter(mayMatch)
  if (candidates.length > 0) byTexts(event, candidates, out)
  const logged = isLogged(event) || candidates.length > 0 ? loggedOf(event, eventTexts) : undefined
  if (logged) out.logged = logged
  const noise = noiseOf(event, eventTexts, candidates, crawler, out.hydration)
  if (noise) out.noise = noise
  return out
}

/** Whether an event can be an error that was only logged, whatever its text. */
const isLogged = ({ logger, exception }: NormalEvent): boolean =>
  logger === 'console' || exception?.values.at(-1)?.mechanism?.type.includes('console') === true

/** Adds the diagnostics that depend on the words of an event's texts. */
function byTexts(event: NormalEvent, candidates: readonly EventText[], out: Diagnostics): void {
  const { react, texts } = withReact(candidates)
  if (react) out.react = { code: react.code, ...(react.message === undefined ? {} : { message: react.message }) }
  for (const text of texts) {
    const invariant = invariantIn(text)
    if (!invariant) continue
    out.invariant = invariant
    break
  }
  if (candidates.some((entry) => isHydration(entry.text, react))) out.hydration = hydrationOf(event)
  const skew = skewOf(event, texts)
  if (skew) out.skew = skew
}

/** The first minified error, and all texts with minified errors replaced by their messages. */
function withReact(candidates: readonly EventText[]): { react: ReactError | undefined; texts: readonly EventText[] } {
  let react: ReactError | undefined
  const texts = candidates.map((entry) => {
    const found = reactError(entry.whole)
    react ??= found
    return found?.message === undefined ? entry : { ...entry, text: found.message }
  })
  return { react, texts: react ? texts : candidates }
}
