'use client'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestException, RestFrame, RestStacktrace, RestThread } from '../../../contract/events.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Segments } from '../../ui/segments.tsx'
import { DetailList, valueText } from './detail-list.tsx'
import {
  chainOf,
  type FrameMode,
  type FrameRun,
  firstOpen,
  frameLocation,
  rawTrace,
  runsOf,
  threadsOf,
} from './frames.ts'
import { MetadataNote } from './metadata-note.tsx'

type StackView = FrameMode | 'raw'

function Source({ frame }: { frame: RestFrame }) {
  return (
    <div className="source">
      {frame.context.map(([number, text]) => (
        <div key={number} className="source-line" data-here={number === frame.lineNo || undefined}>
          <span className="source-number">{number}</span>
          <code>
            <PlainText text={text || ' '} charactersMax={1000} />
          </code>
        </div>
      ))}
    </div>
  )
}

function Frame({ frame, path, open: openFirst }: { frame: RestFrame; path: string; open: boolean }) {
  const t = useTranslations('issues.stack')
  const [open, setOpen] = useState(openFirst)
  const vars = Object.entries(frame.vars ?? {})
  const reason = frame.data?.reason
  const more = frame.context.length > 0 || vars.length > 0 || reason != null
  const location = frameLocation(frame)
  const head = (
    <>
      <span className="frame-arrow">
        {more ? (
          open ? (
            <ChevronDown size={14} aria-hidden="true" />
          ) : (
            <ChevronRight size={14} aria-hidden="true" />
          )
        ) : null}
      </span>
      <span className="frame-name">
        <b>
          <PlainText text={frame.function ?? frame.instructionAddr ?? t('anonymous')} charactersMax={256} />
        </b>
        <span className="text-ink-3"> {t('in')} </span>
        <code title={frame.absPath ?? undefined}>
          <PlainText text={location || t('unknown')} charactersMax={300} />
        </code>
        <MetadataNote path={`${path}.function`} />
        <MetadataNote path={`${path}.filename`} />
      </span>
      {frame.inApp ? <span className="chip text-accent">{t('inApp')}</span> : null}
    </>
  )
  return (
    <li className="frame" data-app={frame.inApp || undefined}>
      {more ? (
        <button type="button" className="frame-head" aria-expanded={open} onClick={() => setOpen(!open)}>
          {head}
        </button>
      ) : (
        <div className="frame-head">{head}</div>
      )}
      {open && reason ? <p className="part-note">{t(`unmapped_${reason}`)}</p> : null}
      {open && frame.context.length > 0 ? <Source frame={frame} /> : null}
      {open && vars.length > 0 ? (
        <div className="frame-vars">
          <DetailList
            details={vars.map(([name, value]) => ({ name, value: valueText(value), path: `${path}.vars.${name}` }))}
          />
        </div>
      ) : null}
    </li>
  )
}

function Library({ run, path }: { run: Extract<FrameRun, { kind: 'library' }>; path: string }) {
  const t = useTranslations('issues.stack')
  const [open, setOpen] = useState(false)
  if (open)
    return run.frames.map((frame) => (
      <Frame key={frame.index} frame={frame.frame} path={`${path}.frames.${frame.index}`} open={false} />
    ))
  const names = run.names.slice(0, 3).join(', ')
  return (
    <li className="frame">
      <button type="button" className="frame-head frame-library" aria-expanded={false} onClick={() => setOpen(true)}>
        <span className="frame-arrow">
          <ChevronRight size={14} aria-hidden="true" />
        </span>
        {t('library', { count: run.frames.length })}{' '}
        {names ? (
          <PlainText text={`${t('of')} ${names}${run.names.length > 3 ? ' …' : ''}`} charactersMax={200} />
        ) : null}
      </button>
    </li>
  )
}

/** The frames of one stack trace, newest call first. `path` is its path in the payload. */
export function Frames({ trace, path, mode }: { trace: RestStacktrace; path: string; mode: FrameMode }) {
  const t = useTranslations('issues.stack')
  const first = firstOpen(trace.frames)
  if (trace.frames.length === 0) return <p className="part-note">{t('none')}</p>
  return (
    <>
      <ol className="frames">
        {runsOf(trace.frames, mode).map((run) =>
          run.kind === 'frame' ? (
            <Frame
              key={`${mode}${run.index}`}
              frame={run.frame}
              path={`${path}.frames.${run.index}`}
              open={run.index === first}
            />
          ) : (
            <Library key={`${mode}${run.frames[0]?.index}`} run={run} path={path} />
          ),
        )}
      </ol>
      {trace.framesOmitted ? (
        <p className="part-note">{t('omitted', { count: trace.framesOmitted[1] - trace.framesOmitted[0] })}</p>
      ) : null}
    </>
  )
}

function Raw({ exception, trace }: { exception: Pick<RestException, 'type' | 'value'>; trace: RestStacktrace | null }) {
  const t = useTranslations('common')
  const text = rawTrace(exception, trace?.frames ?? [])
  return (
    <div className="raw">
      <div className="raw-copy">
        <CopyButton text={text} label={t('copy')} />
      </div>
      <pre>
        <PlainText text={text} charactersMax={60_000} />
      </pre>
    </div>
  )
}

function mechanismText(
  mechanism: Record<string, unknown> | null,
): { type: string; handled: boolean | undefined } | undefined {
  if (!mechanism) return undefined
  const handled = mechanism.handled
  return {
    type: typeof mechanism.type === 'string' ? mechanism.type : '',
    handled: typeof handled === 'boolean' ? handled : undefined,
  }
}

/** The thrown exception and its causes with their frames. One switch for all: application, all frames, raw. */
export function Exceptions({
  values,
  initialView,
  note,
}: {
  values: readonly RestException[]
  initialView: FrameMode
  /** A note about all stacks. */
  note: 'notSymbolicated' | 'dumpUnreadable' | undefined
}) {
  const t = useTranslations('issues.stack')
  const [view, setView] = useState<StackView>(initialView)
  return (
    <Section
      id="exceptions"
      title={t('title')}
      aside={
        <Segments
          label={t('view')}
          value={view}
          onChange={setView}
          choices={[
            { value: 'app', label: t('app') },
            { value: 'all', label: t('all') },
            { value: 'raw', label: t('raw') },
          ]}
        />
      }
    >
      {note ? <p className="part-note">{t(note)}</p> : null}
      {chainOf(values).map(({ exception, index }, at) => {
        const path = `exception.values.${index}`
        const mechanism = mechanismText(exception.mechanism)
        const raw = exception.rawStacktrace ?? exception.stacktrace
        return (
          <div key={index} className="exception">
            {at > 0 ? <p className="exception-cause">{t('cause')}</p> : null}
            <h3 className="exception-type">
              <PlainText text={exception.type ?? t('untyped')} charactersMax={300} />
              <MetadataNote path={`${path}.type`} />
              {mechanism ? (
                <span className="exception-mechanism">
                  <PlainText text={mechanism.type} charactersMax={80} />
                  {mechanism.handled === false ? <span className="chip text-error">{t('unhandled')}</span> : null}
                </span>
              ) : null}
            </h3>
            {exception.value ? (
              <p className="exception-value">
                <PlainText text={exception.value} charactersMax={6000} />
                <MetadataNote path={`${path}.value`} />
              </p>
            ) : null}
            {view === 'raw' ? (
              <Raw exception={exception} trace={raw} />
            ) : exception.stacktrace ? (
              <Frames trace={exception.stacktrace} path={`${path}.stacktrace`} mode={view} />
            ) : (
              <p className="part-note">{t('noTrace')}</p>
            )}
          </div>
        )
      })}
    </Section>
  )
}

/** Shows one thread at a time; the crashed one first. */
export function Threads({ threads }: { threads: readonly RestThread[] }) {
  const t = useTranslations('issues.stack')
  const ordered = threadsOf(threads)
  const [at, setAt] = useState(0)
  const thread = ordered[at]
  const name = (thread: RestThread) =>
    `${thread.name ?? t('thread')} ${thread.id === null ? '' : `#${thread.id}`}${thread.crashed ? ` · ${t('crashed')}` : ''}${thread.state ? ` · ${thread.state}` : ''}`
  return (
    <Section
      id="threads"
      title={t('threads', { count: threads.length })}
      aside={
        <select
          className="input input-compact"
          aria-label={t('thread')}
          value={at}
          onChange={(event) => setAt(Number(event.target.value))}
        >
          {ordered.map((shownThread, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: threads can lack an id
            <option key={index} value={index}>
              {name(shownThread).slice(0, 120)}
            </option>
          ))}
        </select>
      }
    >
      {thread?.stacktrace ? (
        <Frames
          key={at}
          trace={thread.stacktrace}
          path={`threads.values.${threads.indexOf(thread)}.stacktrace`}
          mode="app"
        />
      ) : (
        <p className="part-note">{t('noTrace')}</p>
      )}
    </Section>
  )
}
