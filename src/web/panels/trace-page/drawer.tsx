'use client'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { RestTraceItem } from '../../../contract/explore/trace-views.ts'
import { textOf } from '../../../domain/traces/trace-spans.ts'
import { apiFetch } from '../../client/api.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { Button } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { QueryFailed } from '../../ui/states.tsx'
import { Findings } from './findings.tsx'
import { cutOf, isHidden, membersOf, type Point } from './model.ts'
import { eventOfPoint, levelOfPoint } from './point-level.ts'
import { SpanEvents, SpanLinks } from './span-details.tsx'
import { SpanStatement } from './span-statement.tsx'
import type { TraceControls } from './use-trace.ts'
import { useWords, type Words } from './words.ts'

type Parts = { trace: TraceControls; words: Words }

/** A search for this value of an attribute. */
const termOf = (key: string, value: string): string =>
  `${key}:${/[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value}`

function Field({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

/** Times of a span as this page computed them. */
function Figures({ trace: { model }, words, node }: Parts & { node: number }) {
  const t = useTranslations('trace')
  const { tree, selfUs, networkUs } = model
  const length = tree.durations[node] ?? 0
  const shift = tree.shifts[node] ?? 0
  const parent = tree.parents[node] ?? -1
  const parentEnd =
    parent >= 0 && parent < tree.spanCount ? (tree.starts[parent] ?? 0) + (tree.durations[parent] ?? 0) : undefined
  const lateUs = parentEnd === undefined ? 0 : (tree.starts[node] ?? 0) - parentEnd
  const status = node < tree.spanCount ? textOf(model.view.spans, 'statuses', node) : ''
  return (
    <dl className="tp-fields">
      <Field name={t('column.duration')}>{words.duration(length)}</Field>
      <Field name={t('share')}>{t('shareOf', { share: words.share(length) })}</Field>
      <Field name={t('column.self')}>{words.duration(selfUs[node] ?? 0)}</Field>
      <Field name={t('column.start')}>{words.duration((tree.starts[node] ?? 0) - model.fromUs)}</Field>
      {status ? (
        <Field name={t('status')}>
          <PlainText text={status} charactersMax={60} />
        </Field>
      ) : null}
      {(networkUs[node] ?? -1) >= 0 ? (
        <Field name={t('networkField')}>{words.duration(networkUs[node] ?? 0)}</Field>
      ) : null}
      {shift !== 0 ? (
        <Field name={t('clock')}>
          {t(shift > 0 ? 'shiftedLater' : 'shiftedEarlier', { duration: words.duration(Math.abs(shift)) })}
        </Field>
      ) : null}
      {lateUs > 1000 ? <Field name={t('late')}>{t('lateBy', { duration: words.duration(lateUs) })}</Field> : null}
      {cutOf(model, node) ? (
        <Field name={t('cutOff')}>
          {t(`cutWhy.${cutOf(model, node) === 'heartbeatFailed' ? 'heartbeatFailed' : 'deadline_exceeded'}`)}
        </Field>
      ) : null}
      {tree.cyclic.has(node) ? <Field name={t('parent')}>{t('cyclic')}</Field> : null}
    </dl>
  )
}

function Attributes({ trace, item }: { trace: TraceControls; item: RestTraceItem }) {
  const t = useTranslations('trace')
  const shown = item.attributes.filter(({ name }) => !/^span\.(?:op|name|status|duration)$/.test(name))
  return (
    <>
      <dl className="tp-fields tp-attributes">
        {shown.map(({ name, value }) => (
          <Field key={name} name={name}>
            <button type="button" title={t('only', { name })} onClick={() => trace.setQ(termOf(name, String(value)))}>
              <PlainText text={String(value)} charactersMax={500} />
            </button>
          </Field>
        ))}
        {Object.entries(item.measurements).map(([name, value]) => (
          <Field key={name} name={name}>
            {String(value)}
          </Field>
        ))}
      </dl>
      {item.clockShift !== 0 ? (
        <p className="tp-dim">{t('senderClock', { count: Math.round(item.clockShift) })}</p>
      ) : null}
      {item.repaired > 0 ? <p className="tp-dim">{t('repaired', { count: item.repaired })}</p> : null}
    </>
  )
}

/** What the server knows of a span: its statement, events, links and attributes. */
function Stored({ trace, words, node }: Parts & { node: number }) {
  const t = useTranslations('trace')
  const { view } = trace.model
  const project = view.projects[view.spans.projects[node] ?? 0]?.id ?? undefined
  const id = view.spans.ids[node] ?? ''
  const { data, error } = useQuery({
    queryKey: ['trace-item', trace.organization, view.traceID, id, project],
    queryFn: ({ signal }) =>
      apiFetch<RestTraceItem>(`organizations/${trace.organization}/trace-items/${id}/`, {
        query: { traceId: view.traceID, project },
        signal,
      }),
    staleTime: 600_000,
  })
  if (error) return <QueryFailed error={error} />
  if (!data)
    return (
      <p className="tp-dim" role="status">
        {t('loadingSpan')}
      </p>
    )
  return (
    <>
      {data.description ? (
        <pre className="tp-statement">
          <PlainText text={data.description} charactersMax={4000} />
        </pre>
      ) : null}
      {data.statement ? (
        <SpanStatement
          organization={trace.organization}
          statement={data.statement}
          durationMs={(trace.model.tree.durations[node] ?? 0) / 1000}
        />
      ) : null}
      <SpanEvents trace={trace} words={words} node={node} item={data} />
      <SpanLinks trace={trace} item={data} />
      <Attributes trace={trace} item={data} />
      <div className="tp-drawer-acts">
        <CopyButton text={() => JSON.stringify(data, null, 2)} label={t('copyJson')} />
      </div>
    </>
  )
}

/** A web vital: what it measures, its value and what is good. */
function VitalDetails({ trace, words, point }: Parts & { point: Point }) {
  const t = useTranslations('trace')
  const vitals = useTranslations('performance.vitals')
  const mark = trace.model.vitals[point.index]
  if (!mark) return null
  const { name, value, bounds } = words.vital(point.index)
  return (
    <>
      <p className="tp-message">
        <SeverityShape level={levelOfPoint(trace.model, point)} label="" sizePx={8} /> {name} {value}
      </p>
      <p>{vitals(mark.vital)}</p>
      <p className="tp-dim">{bounds}</p>
      <div className="tp-drawer-acts">
        <Button compact look="plain" onClick={() => trace.reveal(point.node)}>
          {t('showSpan')}
        </Button>
      </div>
    </>
  )
}

function PointDetails({ trace, words, number }: Parts & { number: number }) {
  const t = useTranslations('trace')
  const { model, organization } = trace
  const point = model.points[number]
  if (!point) return null
  if (point.kind === 'vital') return <VitalDetails trace={trace} words={words} point={point} />
  const event = eventOfPoint(model, point)
  const item = point.kind === 'feedback' ? model.view.feedback[point.index] : undefined
  const line = point.kind === 'log' ? model.view.logs[point.index] : undefined
  const href = event
    ? event.groupID && `/o/${organization}/issues/${event.groupID}/events/${event.eventID}`
    : item?.groupID && `/o/${organization}/issues/${item.groupID}`
  return (
    <>
      <p className="tp-message">
        <PlainText text={event?.title ?? item?.message ?? line?.message ?? ''} charactersMax={1000} />
      </p>
      {item?.name ? <p className="tp-dim">{item.name}</p> : null}
      <p className="tp-dim">{t(point.node >= 0 ? 'atSpan' : 'byTime')}</p>
      <div className="tp-drawer-acts">
        {line ? (
          <Link
            className="button button-compact"
            href={`/o/${organization}/logs?q=${encodeURIComponent(`trace:${model.view.traceID}`)}&line=${line.id}`}
          >
            {t('openLog')}
          </Link>
        ) : href ? (
          <Link className="button button-compact" href={href}>
            {t('openIssue', { id: event?.shortId ?? '' })}
          </Link>
        ) : (
          <span className="tp-dim">{t('removed')}</span>
        )}
        {point.node >= 0 ? (
          <Button compact look="plain" onClick={() => trace.reveal(point.node)}>
            {t('showSpan')}
          </Button>
        ) : null}
      </div>
    </>
  )
}

/** Errors, feedback and log lines of a span. */
function SpanPoints({ trace, words, node }: Parts & { node: number }) {
  const t = useTranslations('trace')
  const { model, select } = trace
  const points = model.pointsOf.get(node)
  if (!points) return null
  return (
    <section className="tp-points" aria-label={t('inSpan')}>
      <h3>{t('inSpan')}</h3>
      <ul>
        {points.map((point) => {
          const event = eventOfPoint(model, point)
          const item = point.kind === 'feedback' ? model.view.feedback[point.index] : undefined
          const line = point.kind === 'log' ? model.view.logs[point.index] : undefined
          const { name, value } = words.vital(point.kind === 'vital' ? point.index : -1)
          return (
            <li key={`${point.kind} ${point.index}`}>
              <SeverityShape
                level={point.kind === 'error' ? 'error' : levelOfPoint(model, point)}
                label={t(point.kind)}
                sizePx={8}
              />
              <button type="button" onClick={() => select({ kind: 'point', ref: model.points.indexOf(point) })}>
                <PlainText
                  text={event?.title ?? item?.message ?? line?.message ?? `${name} ${value}`}
                  charactersMax={120}
                />
              </button>
              {event?.shortId ? <span className="tp-dim">{event.shortId}</span> : null}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function RunDetails({ trace, words, first }: Parts & { first: number }) {
  const t = useTranslations('trace')
  const { model, folds, toggle, setQ } = trace
  const run = model.runAt.get(first)
  if (!run) return null
  return (
    <>
      <dl className="tp-fields">
        <Field name={t('runTotal')}>{words.duration(run.totalUs)}</Field>
        <Field name={t('runEach')}>{words.duration(run.totalUs / run.times)}</Field>
        <Field name={t('share')}>{t('shareOf', { share: words.share(run.totalUs) })}</Field>
      </dl>
      <div className="tp-drawer-acts">
        <Button compact onClick={() => toggle('run', first)}>
          {folds.openRuns.has(first) ? t('foldRun') : t('showAll', { count: run.count })}
        </Button>
        <Button compact look="plain" onClick={() => setQ(`op:${words.op(run.main)}`)}>
          {t('sameOp')}
        </Button>
      </div>
      <Findings trace={trace} nodes={membersOf(model, run)} />
      <h3>{t('firstOfRun')}</h3>
      <Stored trace={trace} words={words} node={run.main} />
    </>
  )
}

function titleOf({ trace: { model, selected }, words }: Parts, t: (key: Point['kind'] | 'gapTitle') => string): string {
  if (!selected) return ''
  if (selected.kind === 'point') return t(model.points[selected.ref]?.kind ?? 'error')
  if (selected.kind === 'gap' || selected.kind === 'endGap') return t('gapTitle')
  const run = selected.kind === 'run' ? model.runAt.get(selected.ref) : undefined
  return run ? `${run.times} × ${words.op(run.main)}` : words.op(selected.ref)
}

/** The details of the selected row. */
export function Drawer({ trace }: { trace: TraceControls }) {
  const t = useTranslations('trace')
  const words = useWords(trace.model)
  const { selected, model } = trace
  if (!selected) return null
  const { kind, ref } = selected
  const isSpan = kind === 'node' || kind === 'run'
  const project =
    isSpan && ref < model.tree.spanCount ? model.view.projects[model.view.spans.projects[ref] ?? 0] : undefined
  return (
    <aside className="tp-drawer" aria-label={t('details')}>
      <header>
        {project && project.place >= 0 ? <Rail place={project.place} /> : null}
        <h2>
          <PlainText text={titleOf({ trace, words }, t)} charactersMax={80} />
        </h2>
        {project ? <span className="tp-dim">{words.project(ref)}</span> : null}
        <Button compact icon look="plain" aria-label={t('closeDetails')} onClick={() => trace.select(undefined)}>
          <X size={15} strokeWidth={1.75} />
        </Button>
      </header>
      {kind === 'point' ? <PointDetails trace={trace} words={words} number={ref} /> : null}
      {kind === 'run' ? <RunDetails trace={trace} words={words} first={ref} /> : null}
      {kind === 'gap' || kind === 'endGap' ? (
        <>
          <p className="tp-message">{words.gap(kind, ref)}</p>
          <p className="tp-dim">
            {t(
              ((kind === 'gap' ? model.gapsBefore : model.gapsAtEnd).get(ref)?.kind ?? 'idle') === 'network'
                ? 'networkWhy'
                : 'gapWhy',
            )}
          </p>
        </>
      ) : null}
      {kind === 'node' ? (
        <>
          {ref >= model.tree.spanCount ? <p className="tp-message">{t('missingWhy')}</p> : null}
          {isHidden(model, ref) ? <p className="tp-message">{t('hiddenWhy')}</p> : null}
          <Figures trace={trace} words={words} node={ref} />
          <SpanPoints trace={trace} words={words} node={ref} />
          <Findings trace={trace} nodes={[ref]} />
          {ref < model.tree.spanCount && !isHidden(model, ref) ? (
            <Stored key={ref} trace={trace} words={words} node={ref} />
          ) : null}
        </>
      ) : null}
    </aside>
  )
}
