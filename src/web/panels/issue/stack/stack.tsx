'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestException, RestStacktrace, RestThread } from '../../../../contract/events.ts'
import { CopyButton } from '../../../ui/copy/copy-button.tsx'
import { Section } from '../../../ui/panel-section.tsx'
import { PlainText } from '../../../ui/plain-text.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { MetadataNote } from '../metadata-note.tsx'
import { Frames } from './frame.tsx'
import { chainOf, type FrameMode, frameCounts, rawTrace, threadsOf } from './frames.ts'

type StackView = FrameMode | 'raw'

/** All exceptions as a runtime prints them. */
const rawText = (exceptions: readonly RestException[]) =>
  exceptions.map((exception) => rawTrace(exception, exception.stacktrace?.frames ?? [])).join('\nCaused by: ')

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

/** Longer messages, and those with more lines, do not fit into the title and are repeated above the stack. */
const titleMax = 120

type Headline = { type: string; value: string }

/** Whether the page's title says all of this exception. */
const isInTitle = ({ type, value }: RestException, title: Headline) =>
  (type ?? '') === title.type &&
  (value ?? '') === title.value &&
  title.value.length <= titleMax &&
  !/[\r\n]/.test(title.value)

/** Type, mechanism and message of one exception. */
function ExceptionHead({ exception, path }: { exception: RestException; path: string }) {
  const t = useTranslations('issues.stack')
  return (
    <>
      <h3 className="exception-type">
        <PlainText text={exception.type ?? t('untyped')} charactersMax={300} />
        <MetadataNote path={`${path}.type`} />
        <Mechanism exception={exception} />
      </h3>
      {exception.value ? (
        <p className="exception-value">
          <PlainText text={exception.value} charactersMax={6000} />
          <MetadataNote path={`${path}.value`} />
        </p>
      ) : null}
    </>
  )
}

/** How the SDK caught it, and whether the application did not. */
function Mechanism({ exception }: { exception: RestException }) {
  const t = useTranslations('issues.stack')
  const mechanism = mechanismText(exception.mechanism)
  if (!mechanism) return null
  return (
    <span className="exception-mechanism">
      <PlainText text={mechanism.type} charactersMax={80} />
      {mechanism.handled === false ? <span className="text-error">{t('unhandled')}</span> : null}
    </span>
  )
}

/** The thrown exception and its causes with their frames. One switch for all: application, all frames, raw. */
export function Exceptions({
  values,
  initialView,
  title,
  note,
}: {
  values: readonly RestException[]
  initialView: FrameMode
  /** Type and message in the page's title. */
  title: Headline
  /** A note about all stacks. */
  note: 'notSymbolicated' | 'dumpUnreadable' | undefined
}) {
  const t = useTranslations('issues.stack')
  const page = useTranslations('issuepage')
  const [view, setView] = useState<StackView>(initialView)
  const chain = chainOf(values)
  const thrown = chain[0]?.exception
  const { own, all } = frameCounts(values)
  return (
    <Section
      id="exceptions"
      title={page('stack')}
      aside={
        <>
          {all > 0 ? <span className="part-count">{page('frames', { own, all })}</span> : null}
          {thrown && isInTitle(thrown, title) ? <Mechanism exception={thrown} /> : null}
          <span className="grow" />
          <Segments
            label={t('view')}
            value={view}
            onChange={setView}
            choices={[
              { value: 'app', label: t('app') },
              { value: 'all', label: page('allFrames', { count: all }) },
              { value: 'raw', label: t('raw') },
            ]}
          />
          <CopyButton
            text={() => rawText(chain.map(({ exception }) => exception))}
            label={page('copyStack')}
            iconOnly
          />
        </>
      }
    >
      {note ? <p className="part-note">{t(note)}</p> : null}
      {chain.map(({ exception, index }, at) => {
        const path = `exception.values.${index}`
        const raw = exception.rawStacktrace ?? exception.stacktrace
        return (
          <div key={index} className="exception">
            {at > 0 ? <p className="exception-cause">{t('cause')}</p> : null}
            {at === 0 && isInTitle(exception, title) ? null : <ExceptionHead exception={exception} path={path} />}
            {view === 'raw' ? (
              <Raw exception={exception} trace={raw} />
            ) : exception.stacktrace ? (
              <Frames trace={exception.stacktrace} path={`${path}.stacktrace`} mode={view} message={exception.value} />
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
