'use client'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { memo } from 'react'
import { textOf } from '../../../domain/traces/trace-spans.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import { type Severity, SeverityShape } from '../../ui/severity.tsx'
import { cutOf, isHidden } from './model.ts'
import { levelOfPoint } from './point-level.ts'
import { isBranch } from './rows.ts'
import type { TraceControls } from './use-trace.ts'
import type { Words } from './words.ts'

type RowProps = { trace: TraceControls; words: Words; row: number; isMatch: boolean }

const indentPx = 14
/** Deeper rows are not indented further: the name would have no space. */
const indentMax = 14

/** Ops of segments in a browser. SDKs for browser and server of one framework have the same platform. */
const browserOps = /^(?:pageload|navigation|ui)(?:\.|$)/

const levels: ReadonlySet<string> = new Set(['fatal', 'error', 'warning', 'info', 'debug'])
const levelOf = (level: string | undefined): Severity => (levels.has(level ?? '') ? (level as Severity) : 'error')

function Fold({ isOpen, label, onClick }: { isOpen: boolean; label: string; onClick: () => void }) {
  const Icon = isOpen ? ChevronDown : ChevronRight
  return (
    <button
      type="button"
      className="tp-fold"
      tabIndex={-1}
      aria-label={label}
      onClick={(event) => {
        event.stopPropagation()
        onClick()
      }}
    >
      <Icon size={13} strokeWidth={1.75} aria-hidden="true" />
    </button>
  )
}

function Band({ trace: { model }, words, node }: Pick<RowProps, 'trace' | 'words'> & { node: number }) {
  const t = useTranslations('trace')
  const { spans, projects } = model.view
  const project = projects[spans.projects[node] ?? 0]
  const op = textOf(spans, 'ops', node)
  const platform = textOf(spans, 'platforms', node)
  const runtime = browserOps.test(op) ? t('browser') : op === 'http.server' ? t('server') : ''
  const where = [runtime, platform === 'other' ? '' : platform, textOf(spans, 'environments', node)]
    .filter(Boolean)
    .join(', ')
  return (
    <>
      {project && project.place >= 0 ? <Rail place={project.place} /> : null}
      <b>{words.project(node)}</b>
      <span className="tp-dim">
        <PlainText text={where} charactersMax={60} />
      </span>
      <span className="tp-band-count">{t('spanCount', { count: model.bandSizes.get(node) ?? 0 })}</span>
    </>
  )
}

function Point({
  trace: { model, organization },
  words,
  number,
}: Pick<RowProps, 'trace' | 'words'> & { number: number }) {
  const t = useTranslations('trace')
  const point = model.points[number]
  if (!point) return null
  if (point.kind === 'vital')
    return (
      <>
        <SeverityShape level={levelOfPoint(model, point)} label="" />
        <b>{words.vital(point.index).name}</b>
        <span className="tp-text">{words.vital(point.index).value}</span>
      </>
    )
  if (point.kind === 'feedback') {
    const item = model.view.feedback[point.index]
    return (
      <>
        <SeverityShape level="info" label="" />
        <b>{t('feedback')}</b>
        <span className="tp-text">
          <PlainText text={item?.message ?? ''} charactersMax={200} />
        </span>
      </>
    )
  }
  if (point.kind === 'log') {
    const line = model.view.logs[point.index]
    return (
      <>
        <SeverityShape level={levelOfPoint(model, point)} label={line?.level ?? ''} />
        <b>{t('log')}</b>
        <span className="tp-text tp-mono">
          <PlainText text={(line?.message ?? '').split('\n', 1)[0] ?? ''} charactersMax={200} />
        </span>
      </>
    )
  }
  const event = model.view[point.kind === 'finding' ? 'findings' : 'events'][point.index]
  if (!event) return null
  const title =
    event.type && event.title.startsWith(`${event.type}: `) ? event.title.slice(event.type.length + 2) : event.title
  return (
    <>
      {point.kind === 'finding' ? (
        <SeverityShape level="warning" label={t('finding')} />
      ) : (
        <SeverityShape level={levelOf(event.level)} label={event.level} />
      )}
      <b>
        <PlainText text={event.type || t('error')} charactersMax={80} />
      </b>
      {event.groupID ? (
        <a
          className="tp-issue"
          href={`/o/${organization}/issues/${event.groupID}/events/${event.eventID}`}
          tabIndex={-1}
        >
          {event.shortId}
        </a>
      ) : null}
      <span className="tp-text tp-said">
        <PlainText text={title} charactersMax={200} />
      </span>
    </>
  )
}

function Node({ trace, words, node }: Pick<RowProps, 'trace' | 'words'> & { node: number }) {
  const t = useTranslations('trace')
  const { model, folds, toggle } = trace
  const status = node < model.tree.spanCount ? textOf(model.view.spans, 'statuses', node) : ''
  const op = words.op(node)
  return (
    <>
      {isBranch(model, node) ? (
        <Fold
          isOpen={!folds.closed.has(node)}
          label={t(folds.closed.has(node) ? 'openRow' : 'closeRow')}
          onClick={() => toggle('node', node)}
        />
      ) : (
        <span className="tp-fold" />
      )}
      {model.view.spans.failures[node] === 1 ? (
        <SeverityShape level="error" label={t('failed', { status: status.slice(0, 60) })} />
      ) : null}
      {op ? (
        <b className={isHidden(model, node) || node >= model.tree.spanCount ? 'tp-dim' : undefined}>
          <PlainText text={op} charactersMax={60} />
        </b>
      ) : null}
      <span className="tp-text tp-mono">
        <PlainText text={words.name(node)} charactersMax={200} />
      </span>
      {cutOf(model, node) ? <span className="tp-shift">{t('cutOff')}</span> : null}
      {(model.tree.shifts[node] ?? 0) !== 0 && model.bands[node] === node ? (
        <span className="tp-shift">
          {t('corrected', { duration: words.duration(Math.abs(model.tree.shifts[node] ?? 0)) })}
        </span>
      ) : null}
    </>
  )
}

function RunRow({ trace, words, first }: Pick<RowProps, 'trace' | 'words'> & { first: number }) {
  const t = useTranslations('trace')
  const { model, folds, toggle } = trace
  const isOpen = folds.openRuns.has(first)
  const { times = 0, main = first } = model.runAt.get(first) ?? {}
  return (
    <>
      <Fold isOpen={isOpen} label={t(isOpen ? 'closeRow' : 'openRow')} onClick={() => toggle('run', first)} />
      <span className="tp-times">{t('times', { count: times })}</span>
      <b>
        <PlainText text={words.op(main)} charactersMax={60} />
      </b>
      <span className="tp-text tp-mono">
        <PlainText text={words.name(main)} charactersMax={200} />
      </span>
    </>
  )
}

/**
 * The name of a row of the waterfall. Its bar is on the canvas, and its length is in the name for screen readers. A
 * scroll renders only the rows that come in.
 */
export const Row = memo(function Row({ trace, words, row, isMatch }: RowProps) {
  const { rows, selected, select, model } = trace
  const [kind, ref, depth] = [rows.kinds[row], rows.refs[row] ?? 0, rows.depths[row] ?? 0]
  if (kind === undefined) return null
  if (kind === 'band')
    return (
      <div className="tp-row tp-band" role="presentation">
        <div className="tp-name">
          <Band trace={trace} words={words} node={ref} />
        </div>
      </div>
    )
  const isSelected = selected?.kind === kind && selected.ref === ref
  const isError = kind === 'point' && model.points[ref]?.kind === 'error'
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the page move and open rows
    <div
      className="tp-row"
      role="treeitem"
      tabIndex={-1}
      aria-level={depth + 1}
      aria-selected={isSelected}
      data-error={isError || undefined}
      data-match={isMatch || undefined}
      data-row={row}
      onClick={() => select({ kind, ref })}
    >
      <div className="tp-name" style={{ paddingLeft: 20 + Math.min(depth, indentMax) * indentPx }}>
        {kind === 'node' ? <Node trace={trace} words={words} node={ref} /> : null}
        {kind === 'run' ? <RunRow trace={trace} words={words} first={ref} /> : null}
        {kind === 'gap' || kind === 'endGap' ? (
          <>
            <span className="tp-fold" />
            <span className="tp-dim">{words.gap(kind, ref)}</span>
          </>
        ) : null}
        {kind === 'point' ? (
          <>
            <span className="tp-fold" />
            <Point trace={trace} words={words} number={ref} />
          </>
        ) : null}
      </div>
      {kind === 'node' ? <span className="sr-only">{words.duration(model.tree.durations[ref] ?? 0)}</span> : null}
      {kind === 'run' ? <span className="sr-only">{words.run(ref)}</span> : null}
    </div>
  )
})
