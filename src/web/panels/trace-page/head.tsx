'use client'
import { Ellipsis } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { mainRoot } from '../../../domain/traces/trace-times.ts'
import { withBase } from '../../base-path.ts'
import { apiUrl } from '../../client/api.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Time } from '../../ui/time.tsx'
import { BackLink } from './back-link.tsx'
import { CompareMenu } from './compare-menu.tsx'
import { longestWait, vitalsOf } from './model.ts'
import { useTraceFacts } from './use-facts.ts'
import type { TraceControls } from './use-trace.ts'
import { views } from './view-state.ts'
import { useWords } from './words.ts'

/** Limits of the largest contentful paint, ms: good up to the first, slow from the second on. */
const paintLimits = [2500, 4000] as const

/** The links to other forms of the trace. */
function Exports({ trace }: { trace: TraceControls }) {
  const t = useTranslations('trace')
  const id = trace.model.view.traceID
  const api = `organizations/${trace.organization}/trace/${id}/`
  return (
    <Menu
      summary={<Ellipsis size={15} strokeWidth={1.75} />}
      name={t('exports')}
      className={buttonClass({ look: 'plain', compact: true, icon: true })}
      panelClass="tp-menu"
    >
      <a className="menu-row" href={withBase(`/o/${trace.organization}/traces/${id}.md`)}>
        {t('asMarkdown')}
      </a>
      <a className="menu-row" href={apiUrl(api)}>
        {t('asJson')}
      </a>
      <a className="menu-row" href={apiUrl(`${api}otlp/`)} download>
        {t('asOtlp')}
      </a>
    </Menu>
  )
}

/** Name and id of the trace, and what can be done with it. */
export function Head({ trace }: { trace: TraceControls }) {
  const t = useTranslations('trace')
  const words = useWords(trace.model)
  const root = mainRoot(trace.model.tree)
  const id = trace.model.view.traceID
  const name = root === undefined ? '' : words.name(root) || words.op(root)
  return (
    <header className="tp-head">
      <BackLink organization={trace.organization} />
      <h1>
        <PlainText text={name || t('title')} charactersMax={200} />
      </h1>
      <code className="tp-id">{id.slice(0, 16)}</code>
      <CopyButton text={id} label={t('copyId')} iconOnly />
      <span className="tp-space" />
      <Segments
        label={t('view')}
        value={trace.view}
        choices={views.map((view) => ({ value: view, label: t(`views.${view}`) }))}
        onChange={trace.setView}
      />
      <CompareMenu organization={trace.organization} traceId={id} />
      <CopyButton text={() => window.location.href} label={t('copyLink')} />
      <Exports trace={trace} />
    </header>
  )
}

function Wait({ trace }: { trace: TraceControls }) {
  const t = useTranslations('trace')
  const words = useWords(trace.model)
  const wait = longestWait(trace.model)
  if (!wait) return null
  return (
    <Fact
      label={t('longestWait')}
      value={words.duration(wait.us)}
      change={
        <button type="button" className="tp-wait" onClick={() => trace.reveal(wait.node)}>
          <PlainText
            text={`${words.project(wait.node)}: ${words.op(wait.node)} ${words.name(wait.node)}`}
            charactersMax={60}
          />
          , {words.share(wait.us)}
        </button>
      }
    />
  )
}

/** The figures of the trace. */
export function TraceFacts({ trace }: { trace: TraceControls }) {
  const t = useTranslations('trace')
  const { model } = trace
  const words = useWords(model)
  const { view } = model
  const facts = useTraceFacts(trace.organization, view.traceID)
  const paint = vitalsOf(model).get('lcp')?.value
  const errors = model.points.filter((point) => point.kind === 'error').length
  const rating =
    paint === undefined ? undefined : paint <= paintLimits[0] ? 'good' : paint < paintLimits[1] ? 'fair' : 'slow'
  return (
    <Facts>
      {view.spanCount > 0 ? (
        <Fact
          label={t('duration')}
          value={words.duration(model.toUs - model.fromUs)}
          {...(facts?.route && facts.p75 !== null
            ? {
                change: t('routeP75', { p75: words.duration(facts.p75 * 1000) }),
                title: t('routeP75Title', { route: facts.route.route, samples: facts.samples }),
              }
            : {})}
        />
      ) : null}
      <Fact
        label={t('spans')}
        value={words.count(view.spanCount)}
        change={view.isSampled ? t('sampleOf', { count: words.count(view.spans.ids.length) }) : undefined}
      />
      <Fact
        label={t('errors')}
        value={
          <span className={errors > 0 ? 'text-error' : undefined}>
            {words.count(errors)}
            {view.eventsTruncated ? '+' : ''}
          </span>
        }
        change={model.failed > 0 ? t('failedSpans', { count: model.failed }) : undefined}
      />
      {view.logs.length > 0 ? (
        <Fact label={t('logs')} value={`${words.count(view.logs.length)}${view.logsTruncated ? '+' : ''}`} />
      ) : null}
      <Wait trace={trace} />
      {paint !== undefined && rating ? (
        <Fact
          label={t('largestPaint')}
          value={words.duration(paint * 1000)}
          change={<span className={rating === 'good' ? 'text-ok' : 'text-warning'}>{t(`rating.${rating}`)}</span>}
        />
      ) : null}
      {/* A strip has seven facts at most. */}
      {facts?.user ? (
        <Fact label={t('user')} value={<PlainText text={facts.user} charactersMax={60} />} title={facts.user} />
      ) : (
        <Fact label={t('started')} value={<Time at={Math.floor(view.origin / 1000)} form="moment" />} />
      )}
    </Facts>
  )
}
