'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { ExploreSpan } from '../../../query/traces/span-explore.ts'
import type { TraceSummary } from '../../../store/events/span-search.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { durationText } from '../../ui/relative.ts'
import { Time } from '../../ui/time.tsx'

const charactersMax = 300

/** A row of the list: a trace or a span. */
export type Row = { id: string; href: string; trace?: TraceSummary; span?: ExploreSpan }

/** The rows of a page, in their order. */
export function rowsOf(organization: string, traces: readonly TraceSummary[], spans: readonly ExploreSpan[]): Row[] {
  const path = (traceId: string) => `/o/${organization}/traces/${traceId}`
  return [
    ...traces.map((trace) => ({ id: trace.traceId, href: path(trace.traceId), trace })),
    ...spans.map((span) => ({
      id: `${span.projectId} ${span.traceId} ${span.id} ${span.startMs}`,
      href: `${path(span.traceId)}?span=${span.id}`,
      span,
    })),
  ]
}

function Label({ text, fallback }: { text: string; fallback: string }) {
  return text.trim() === '' ? (
    <span className="text-ink-3">{fallback}</span>
  ) : (
    <PlainText text={text} charactersMax={charactersMax} />
  )
}

/** One row. The name is the link; the list enlarges its area. */
export function TraceRow({
  row,
  slugOf,
  isCursor,
  longestMs,
}: {
  row: Row
  slugOf: (id: number) => string
  isCursor: boolean
  /** The longest duration of the page: the bars compare with it. */
  longestMs: number
}) {
  const t = useTranslations('spans')
  const locale = useLocale()
  const { trace, span } = row
  const [label, op] = trace ? [trace.root.label, trace.root.op] : [span?.label ?? '', span?.op ?? '']
  const durationMs = trace?.durationMs ?? span?.durationMs ?? 0
  const failed = trace ? trace.failed + trace.errors : span?.failed ? 1 : 0
  const projects = trace ? trace.projectIds : span ? [span.projectId] : []
  return (
    <li className="span-row" data-row={row.id} aria-current={isCursor || undefined}>
      <span className="span-name">
        <Link href={row.href}>
          <Label text={label} fallback={t('unnamed')} />
        </Link>
        <span>
          {op ? (
            <code>
              <PlainText text={op} charactersMax={60} />
            </code>
          ) : null}
          {span && span.transaction !== span.label ? <PlainText text={span.transaction} charactersMax={120} /> : null}
        </span>
      </span>
      <span className="span-projects">
        {projects.map((id) => (
          <span key={id}>{slugOf(id)}</span>
        ))}
      </span>
      <span className="span-number">{trace ? t('spanCount', { count: trace.spans }) : null}</span>
      <span className="span-number" data-failed={failed > 0 || undefined}>
        {trace
          ? trace.errors > 0
            ? t('errorCount', { count: trace.errors })
            : trace.failed > 0
              ? t('failedCount', { count: trace.failed })
              : ''
          : failed > 0
            ? t('isFailed')
            : ''}
      </span>
      <span className="span-length">
        <span style={{ width: `${Math.max(1, (durationMs / Math.max(1, longestMs)) * 100)}%` }} />
        {durationText(durationMs, locale)}
      </span>
      <span className="span-time">
        <Time at={trace?.startMs ?? span?.startMs ?? 0} />
      </span>
    </li>
  )
}
