'use client'
import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestBackTest } from '../../../contract/alerts/alerts-back-test.ts'
import type { RestAnnotations } from '../../../contract/releases.ts'
import { useAnnotations } from '../../ui/chart/use-annotations.ts'
import { PartLoading } from '../../ui/list-states.tsx'
import { measureText } from '../../ui/measure.ts'
import { Segments } from '../../ui/segments.tsx'
import { QueryFailed } from '../../ui/states.tsx'
import { useTimeText } from '../../ui/time.tsx'
import { BackTestChart } from './back-test/back-test-chart.tsx'
import { BackTestGroups } from './back-test/back-test-groups.tsx'
import { afterDeploys, type Direction, totalMs } from './back-test/chart-scale.ts'
import { isMarked, type Mark, markOf, toggled } from './back-test/noise.ts'
import { draftOf, isSame, mistakesIn, type RuleDraft, unitOf } from './draft.ts'
import { useEditor } from './editor-context.ts'
import { Firings } from './firings.tsx'
import { useReceiverWords } from './receivers.ts'
import { thresholdOf, withThreshold } from './suggested.ts'
import { Suggestions } from './suggestions.tsx'
import { Thresholds } from './thresholds.tsx'
import { type Days, useBackTest } from './use-back-test.ts'
import { useLasted, useMinutes } from './words.tsx'

type ValueText = (value: number | null) => string

/** An issue rule fires when a count is reached, and when a rate is exceeded. */
function directionOf({ kind, issue, metric }: RuleDraft): Direction {
  if (kind === 'metric') return metric.threshold.direction
  return issue.when.find((trigger) => 'windowMinutes' in trigger)?.type === 'rate' ? 'above' : 'from'
}

/** What a bar of the chart is. */
function barsText({ kind, issue, metric }: RuleDraft): 'bars' | 'barsLowest' | 'barsOfIssue' | 'barsIssues' {
  if (kind === 'metric') return metric.threshold.direction === 'above' ? 'bars' : 'barsLowest'
  return issue.when.some((trigger) => 'windowMinutes' in trigger) ? 'barsOfIssue' : 'barsIssues'
}

/** How often the rule would have fired, and the saved rule. */
function Verdict({ answer, saved }: { answer: RestBackTest; saved: RestBackTest | undefined }) {
  const t = useTranslations('alerts.backTest')
  const lasted = useLasted()
  const count = answer.firings.length
  // Rules about issues fire at moments.
  const total = totalMs(answer)
  return (
    <p className="alert-verdict" role="status">
      {t('fired')} <b>{t('times', { count })}</b>
      {total > 0 ? t('inAll', { duration: lasted(total) }) : '.'}{' '}
      {saved ? t('saved', { count: saved.firings.length }) : null}
    </p>
  )
}

/** Messages for each receiver, with the interval applied. */
function Messages({ answer }: { answer: RestBackTest }) {
  const t = useTranslations('alerts.backTest')
  const { draft, known } = useEditor()
  const wordsOf = useReceiverWords(known)
  if (answer.messages.length === 0) return null
  return (
    <section aria-label={t('messages')}>
      <h3 className="alert-sub">{t('messages')}</h3>
      <ul className="alert-messages">
        {answer.messages.map(({ count }, at) => {
          const action = draft.actions[at]
          if (!action) return null
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the answer has one entry for each action, in their order
            <li key={at}>
              {wordsOf(action).name} <b>{count}</b>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** The parts that cannot be judged, and from which rows the answer was made. */
function Basis({ answer, marks }: { answer: RestBackTest; marks: RestAnnotations | undefined }) {
  const t = useTranslations('alerts.backTest')
  const { text } = useTimeText()
  const deploysMs = (marks?.marks ?? []).filter(({ kind }) => kind === 'deploy').map(({ at }) => Date.parse(at))
  const near = afterDeploys(answer.firings, deploysMs)
  return (
    <div className="alert-basis">
      {answer.blind.length > 0 ? (
        <ul>
          {answer.blind.map(({ fromMs, toMs, reason }) => (
            <li key={`${fromMs} ${reason}`}>
              {text(fromMs, 'shortMinute')} – {text(toMs, 'shortMinute')}: {t(`blind.${reason}`)}
            </li>
          ))}
        </ul>
      ) : null}
      <p>
        {t('samples', { count: answer.samples })} {t(answer.sampled ? 'sampled' : 'notSampled')}{' '}
        {near > 0 ? t('deploys', { near, count: answer.firings.length }) : null}
      </p>
    </div>
  )
}

function Answer({
  answer,
  noise,
  toggleNoise,
  valueText,
  savedThreshold,
}: {
  answer: RestBackTest
  noise: readonly Mark[]
  toggleNoise: (mark: Mark) => void
  valueText: ValueText
  savedThreshold: number | null
}) {
  const t = useTranslations('alerts.backTest')
  const minutes = useMinutes()
  const { organization, draft, change, mayWrite, projects } = useEditor()
  const chosen = projects.filter(({ slug }) => draft.projects.includes(slug)).map(({ id }) => id)
  const marks = useAnnotations(
    organization,
    {
      project: chosen.length > 0 ? chosen : undefined,
      environment: draft.environment === null ? undefined : [draft.environment],
      start: new Date(answer.fromMs).toISOString(),
      end: new Date(answer.toMs).toISOString(),
    },
    undefined,
  )
  const threshold = thresholdOf(draft)
  const direction = directionOf(draft)
  const set = (value: number) => change(withThreshold(draft, value))
  const marked = answer.firings.map(markOf).filter((mark) => isMarked(noise, mark))
  return (
    <>
      <BackTestChart
        organization={organization}
        answer={answer}
        threshold={threshold}
        direction={direction}
        valueText={valueText}
        marks={marks}
        onThreshold={mayWrite && threshold !== null ? set : undefined}
      />
      <p className="alert-chart-note">
        {t(barsText(draft), {
          bar: minutes(Math.max(1, Math.round(answer.barMs / 60_000))),
        })}{' '}
        {mayWrite && threshold !== null ? t('drag') : null}
      </p>
      <Thresholds
        others={answer.others}
        direction={direction}
        saved={savedThreshold}
        valueText={valueText}
        choose={mayWrite ? set : undefined}
      />
      <Firings
        answer={answer}
        noise={marked}
        toggleNoise={mayWrite && draft.kind === 'metric' ? toggleNoise : undefined}
        valueText={valueText}
      />
      {marked.length > 0 ? <Suggestions answer={answer} marked={marked} valueText={valueText} /> : null}
      {answer.groups ? <BackTestGroups groups={answer.groups} threshold={threshold} direction={direction} /> : null}
      <Messages answer={answer} />
      <Basis answer={answer} marks={marks} />
    </>
  )
}

/** The stored rule as a draft, if the form differs from it; else undefined. */
function savedDraft(editor: ReturnType<typeof useEditor>): RuleDraft | undefined {
  if (!editor.rule) return undefined
  const saved = draftOf(editor.rule)
  return isSame(saved, editor.draft) ? undefined : saved
}

/** When the rule would have fired in the last 24 hours or 14 days. */
export function BackTest() {
  const t = useTranslations('alerts.backTest')
  const measure = measureText(useLocale())
  const editor = useEditor()
  const { organization, draft } = editor
  const [days, setDays] = useState<Days>(14)
  const [noise, setNoise] = useState<readonly Mark[]>([])
  const isReady = !mistakesIn(draft).includes('metric.threshold.critical')
  const saved = savedDraft(editor)
  const { data, error, isFetching } = useBackTest(organization, draft, { days, noise, enabled: isReady })
  const before = useBackTest(organization, saved ?? draft, { days, noise: [], enabled: saved !== undefined })
  const unit = draft.kind === 'metric' ? unitOf(draft.metric) : null
  const isRate =
    draft.kind === 'issue' && draft.issue.when.find((trigger) => 'windowMinutes' in trigger)?.type === 'rate'
  const valueText: ValueText = (value) => `${measure(value, unit)}${isRate && value !== null ? '%' : ''}`
  const toggleNoise = (mark: Mark) => setNoise(toggled(noise, mark))
  return (
    <section className="alert-back-test" aria-labelledby="back-test-title" aria-busy={isFetching || undefined}>
      <div className="alert-back-test-head">
        <h2 id="back-test-title">{t(days === 1 ? 'titleDay' : 'title')}</h2>
        <Segments
          label={t('range')}
          value={days === 1 ? 'day' : 'days'}
          choices={[
            { value: 'day', label: t('day') },
            { value: 'days', label: t('days') },
          ]}
          onChange={(value) => setDays(value === 'day' ? 1 : 14)}
        />
      </div>
      {isReady ? null : <p className="alert-note">{t('needsThreshold')}</p>}
      {isReady && error && !isFetching ? <QueryFailed error={error} /> : null}
      {isReady && data && !error ? (
        <div className="alert-answer" data-dimmed={isFetching || undefined}>
          <Verdict answer={data} saved={saved ? before.data : undefined} />
          <Answer
            answer={data}
            noise={noise}
            toggleNoise={toggleNoise}
            valueText={valueText}
            savedThreshold={saved ? thresholdOf(saved) : null}
          />
        </div>
      ) : null}
      {isReady && !data && !error ? <PartLoading label={t('loading')} shape="chart" /> : null}
    </section>
  )
}
