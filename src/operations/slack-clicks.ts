import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Alerts } from '../alert/alert.ts'
import type { Seal } from '../auth/seal.ts'
import type { Clock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import type { SlackClick } from '../store/meta/alerts/slack-clicks.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** What Slack sends for a click, as far as it matters. */
export const clickShape = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: z.string().max(40) }),
  response_url: z.url().max(500).optional(),
  actions: z.array(z.object({ action_id: z.string().max(255), value: z.string().max(2000).optional() })).min(1),
})
/** `channels`: those whose app signed the click. Nothing of another app may say who clicked. */
const signedShape = clickShape.extend({ channels: z.array(z.number()).default([]) })
export type SignedClick = z.infer<typeof signedShape>

/** Does what a click says, and returns the sentence for the person who clicked. */
export type ActOnClick = (organizationId: number, click: SignedClick) => Promise<string>

type Deps = {
  meta: MetaWith<
    | 'alerts.addSlackClick'
    | 'alerts.slackClicksDue'
    | 'alerts.claimSlackClick'
    | 'alerts.noteSlackClick'
    | 'alerts.endSlackClick'
  >
  clock: Pick<Clock, 'now'>
  seal: Seal
  observe: Pick<Observe, 'warn'>
  alerts: Pick<Alerts, 'answerSlack'>
}

const dueMax = 50
/** A run that a kill ended is done by another one after this. Ours take two requests to Slack, of 10 s each. */
const claimedMs = 60_000
/** Pauses after failed attempts. The address of the answer is valid for 30 minutes. */
const retryMs = [5_000, 30_000, 120_000, 600_000] as const

/** Stores a click, so that Slack can have its answer. `body`: the whole call; Slack repeats it byte by byte. */
export async function storeSlackClick(
  { meta, clock, seal }: Pick<Deps, 'meta' | 'clock' | 'seal'>,
  organizationId: number,
  body: string,
  click: SignedClick,
): Promise<void> {
  const key = createHash('sha256').update(body).digest('hex')
  const sealed = seal.seal(JSON.stringify(click))
  await meta.alerts.addSlackClick({ organizationId, click: key, sealed }, clock.now())
}

function opened({ seal }: Deps, { sealed }: SlackClick): SignedClick | undefined {
  try {
    return signedShape.parse(JSON.parse(seal.open(sealed)))
  } catch {
    // The secrets of the data folder have changed. Nobody can be answered.
    return undefined
  }
}

/** Acts once: the stored sentence says that it was done. A kill before it repeats a change that changes nothing more. */
async function sentenceOf(deps: Deps, stored: SlackClick, click: SignedClick, act: ActOnClick): Promise<string> {
  if (stored.sentence !== '') return stored.sentence
  const sentence = await act(stored.organizationId, click)
  await deps.meta.alerts.noteSlackClick(stored.id, sentence)
  return sentence
}

async function handle(deps: Deps, stored: SlackClick, act: ActOnClick): Promise<void> {
  const { meta, clock, alerts, observe } = deps
  const click = opened(deps, stored)
  let isDone = true
  try {
    const sentence = click ? await sentenceOf(deps, stored, click, act) : ''
    if (click?.response_url && sentence !== '') isDone = await alerts.answerSlack(click.response_url, sentence)
  } catch (error) {
    observe.warn({ click: stored.id, error: String(error).slice(0, 200) }, 'a click in Slack was not handled')
    isDone = false
  }
  const pause = isDone ? undefined : retryMs[stored.attempts]
  await meta.alerts.endSlackClick(
    stored.id,
    pause === undefined ? { doneMs: clock.now() } : { nextMs: clock.now() + pause },
  )
}

/** Handles the stored clicks that are due and that no other run has. */
export async function runSlackClicks(deps: Deps, act: ActOnClick): Promise<Record<string, unknown>> {
  const { meta, clock } = deps
  let clicks = 0
  for (const stored of await meta.alerts.slackClicksDue(clock.now(), dueMax)) {
    if (!(await meta.alerts.claimSlackClick(stored.id, clock.now(), clock.now() + claimedMs))) continue
    await handle(deps, stored, act)
    clicks += 1
  }
  return { clicks }
}
