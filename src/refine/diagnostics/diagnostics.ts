import type { Signs } from '../../domain/diagnostics.ts'
import type { NormalEvent } from '../../domain/event.ts'
import { agentOf, crawlerOf } from '../filter/rules.ts'
import type { Context } from '../pipeline/context.ts'
import type { Draft } from '../pipeline/draft.ts'
import { mayTell } from './gate.ts'
import { hydrationOf, isHydration } from './hydration.ts'
import { invariantIn } from './invariants.ts'
import { loggedOf } from './logged.ts'
import { noiseOf } from './noise.ts'
import { type ReactError, reactError } from './react.ts'
import { skewOf } from './skew.ts'
import { type Said, saidOf } from './texts.ts'

/** Step: sets `findings.signs` if the event has any diagnostics. */
export function signs({ event }: Draft, { head, tools }: Context): void {
  if (!isScript(event)) return
  const agent = agentOf(event, head)
  let crawler = tools.crawlers.get(agent)
  if (crawler === undefined) {
    crawler = crawlerOf(agent) ?? ''
    tools.crawlers.set(agent, crawler)
  }
  put(event, signsOf(event, crawler))
}

/** Repeats the step for a stored event whose frames have changed. Its sender is unknown now: a bot stays a bot. */
export function signsAgain(event: NormalEvent): void {
  if (!isScript(event)) return
  const bot = event.findings.signs?.noise?.kind === 'bot' ? event.findings.signs.noise.found : ''
  put(event, signsOf(event, bot))
}

/** Diagnostics exist only for React, Next.js and browsers. */
const isScript = ({ platform, csp }: NormalEvent): boolean =>
  (platform === 'javascript' || platform === 'node') && csp === undefined

function put(event: NormalEvent, found: Signs): void {
  if (Object.keys(found).length > 0) event.findings.signs = found
  else delete event.findings.signs
  // An error that was only logged still counts as an error.
  if (found.logged && event.findings.kind === 'message') event.findings.kind = 'error'
}

/**
 * The diagnostics of a normalized event. Those that do not apply are absent. `crawler`: the name of the crawler that
 * loaded the page, '' if none. Pure. Never throws.
 */
export function signsOf(event: NormalEvent, crawler: string): Signs {
  const out: Signs = {}
  const said = saidOf(event)
  const telling = said.filter(mayTell)
  if (telling.length > 0) byWords(event, telling, out)
  const logged = isLogged(event) || telling.length > 0 ? loggedOf(event, said) : undefined
  if (logged) out.logged = logged
  const noise = noiseOf(event, said, telling, crawler, out.hydration)
  if (noise) out.noise = noise
  return out
}

/** Whether an event can be an error that was only logged, whatever its text. */
const isLogged = ({ logger, exception }: NormalEvent): boolean =>
  logger === 'console' || exception?.values.at(-1)?.mechanism?.type.includes('console') === true

/** Adds the diagnostics that depend on the words of an event's texts. */
function byWords(event: NormalEvent, telling: readonly Said[], out: Signs): void {
  const { react, texts } = withReact(telling)
  if (react) out.react = { code: react.code, ...(react.message === undefined ? {} : { message: react.message }) }
  for (const text of texts) {
    const invariant = invariantIn(text)
    if (!invariant) continue
    out.invariant = invariant
    break
  }
  if (telling.some((entry) => isHydration(entry.text, react))) out.hydration = hydrationOf(event)
  const skew = skewOf(event, texts)
  if (skew) out.skew = skew
}

/** The first minified error, and all texts with minified errors replaced by their messages. */
function withReact(telling: readonly Said[]): { react: ReactError | undefined; texts: readonly Said[] } {
  let react: ReactError | undefined
  const texts = telling.map((entry) => {
    const found = reactError(entry.whole)
    react ??= found
    return found?.message === undefined ? entry : { ...entry, text: found.message }
  })
  return { react, texts: react ? texts : telling }
}
