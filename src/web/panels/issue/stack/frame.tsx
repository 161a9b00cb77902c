'use client'
import { ChevronDown, ChevronRight, ChevronsUpDown } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestFrame, RestStacktrace } from '../../../../contract/events.ts'
import { languageOf } from '../../../ui/code/languages.ts'
import { Code } from '../../../ui/code.tsx'
import { CopyButton } from '../../../ui/copy/copy-button.tsx'
import { PlainText } from '../../../ui/plain-text.tsx'
import { MetadataNote } from '../metadata-note.tsx'
import { failingExpression } from './failing.ts'
import { FrameLinks } from './frame-links.tsx'
import { type FrameMode, type FrameRun, firstOpen, frameLocation, frameText, runsOf } from './frames.ts'
import { VariableTree } from './variable-tree.tsx'

/** Source lines of a frame. The value that was missing follows the line that failed. */
function Source({ frame, message }: { frame: RestFrame; message: string | null }) {
  const t = useTranslations('issuepage')
  const at = frame.context.findIndex(([number]) => number === frame.lineNo)
  const found = at < 0 ? undefined : failingExpression(message, frame.context[at]?.[1] ?? '', frame)
  // A line of the payload can contain line breaks. Each must stay one line here, because the numbers count them.
  const lines = frame.context.map(([, text]) => text.replaceAll(/[\r\n]+/g, ' '))
  const note = found ? (
    <span className="failing-value">
      <PlainText text={found.expression} charactersMax={120} /> = <b>{found.value}</b>
    </span>
  ) : undefined
  return (
    <Code
      text={lines.join('\n')}
      language={languageOf(frame.filename ?? frame.absPath, frame.platform)}
      label={t('source', { location: frameLocation(frame).slice(0, 300) })}
      numbers={frame.context.map(([number]) => number)}
      failing={at < 0 ? undefined : { at, range: found?.range, note }}
    />
  )
}

type FrameProps = { frame: RestFrame; path: string; isOpen: boolean; message: string | null }

function FrameName({ frame, path }: Pick<FrameProps, 'frame' | 'path'>) {
  const t = useTranslations('issues.stack')
  return (
    <span className="frame-name">
      <b>
        <PlainText text={frame.function ?? frame.instructionAddr ?? t('anonymous')} charactersMax={256} />
      </b>{' '}
      <code title={frame.absPath ?? undefined}>
        <PlainText text={frameLocation(frame) || t('unknown')} charactersMax={300} />
      </code>
      <MetadataNote path={`${path}.function`} />
      <MetadataNote path={`${path}.filename`} />
    </span>
  )
}

function Frame({ frame, path, isOpen, message }: FrameProps) {
  const t = useTranslations('issues.stack')
  const page = useTranslations('issuepage')
  const [open, setOpen] = useState(isOpen)
  const vars = frame.vars && Object.keys(frame.vars).length > 0 ? frame.vars : undefined
  const reason = frame.data?.reason
  const more = frame.context.length > 0 || vars !== undefined || reason != null
  const Arrow = open ? ChevronDown : ChevronRight
  return (
    <li className="frame" data-app={frame.inApp || undefined}>
      <div className="frame-row">
        {more ? (
          <button type="button" className="frame-head" aria-expanded={open} onClick={() => setOpen(!open)}>
            <Arrow size={14} className="frame-arrow" aria-hidden="true" />
            <FrameName frame={frame} path={path} />
          </button>
        ) : (
          <div className="frame-head">
            <span className="frame-arrow" />
            <FrameName frame={frame} path={path} />
          </div>
        )}
        <FrameLinks frame={frame} />
        <CopyButton text={() => frameText(frame)} label={page('copyFrame')} iconOnly />
      </div>
      {open && reason ? <p className="part-note frame-note">{t(`unmapped_${reason}`)}</p> : null}
      {open && frame.context.length > 0 ? <Source frame={frame} message={message} /> : null}
      {open && vars ? <VariableTree vars={vars} path={`${path}.vars`} /> : null}
    </li>
  )
}

function Library({ run, path }: { run: Extract<FrameRun, { kind: 'library' }>; path: string }) {
  const t = useTranslations('issues.stack')
  const [open, setOpen] = useState(false)
  if (open)
    return run.frames.map(({ frame, index }) => (
      <Frame key={index} frame={frame} path={`${path}.frames.${index}`} isOpen={false} message={null} />
    ))
  const names = run.names.slice(0, 3).join(', ')
  return (
    <li className="frame">
      <button type="button" className="frame-head frame-library" aria-expanded={false} onClick={() => setOpen(true)}>
        <ChevronsUpDown size={14} className="frame-arrow" aria-hidden="true" />
        <span className="frame-name">
          {t('library', { count: run.frames.length })}{' '}
          {names ? (
            <PlainText text={`${t('of')} ${names}${run.names.length > 3 ? ' …' : ''}`} charactersMax={200} />
          ) : null}
        </span>
      </button>
    </li>
  )
}

type FramesProps = {
  trace: RestStacktrace
  /** Path of the stack trace in the payload. */
  path: string
  mode: FrameMode
  /** The message of the exception. It can name the value that was missing. */
  message?: string | null
}

/** The frames of one stack trace, newest call first. */
export function Frames({ trace, path, mode, message = null }: FramesProps) {
  const t = useTranslations('issues.stack')
  const first = firstOpen(trace.frames)
  if (trace.frames.length === 0) return <p className="part-note">{t('none')}</p>
  const newest = trace.frames.length - 1
  return (
    <>
      <ol className="frames">
        {runsOf(trace.frames, mode).map((run) =>
          run.kind === 'frame' ? (
            <Frame
              key={`${mode}${run.index}`}
              frame={run.frame}
              path={`${path}.frames.${run.index}`}
              isOpen={run.index === first}
              message={run.index === newest ? message : null}
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
