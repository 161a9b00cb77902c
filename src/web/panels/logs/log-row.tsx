'use client'
import { ChevronRight } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { memo } from 'react'
import type { RestLogLine } from '../../../contract/explore/logs.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { useTimeText } from '../../ui/time.tsx'
import type { Gap } from './items.ts'
import { shapeOfLevel } from './levels.ts'
import { FoldedText, MessageText } from './message-text.tsx'

const cellCharactersMax = 200
/** The place and name of a line's project. */
export type ProjectOf = (projectId: string) => { place: number; slug: string }

function Marks({ line, projectOf }: { line: RestLogLine; projectOf: ProjectOf }) {
  const level = useTranslations('logs.levels')
  const shape = shapeOfLevel(line.level)
  const project = projectOf(line.projectID)
  return (
    <>
      <span className="log-level">
        {shape ? (
          <SeverityShape level={shape} label={level(shape === 'debug' ? line.level : shape)} sizePx={8} />
        ) : null}
      </span>
      <span className="log-rail" title={project.slug}>
        {project.place >= 0 ? <Rail place={project.place} /> : null}
        <span className="visually-hidden">{project.slug}</span>
      </span>
    </>
  )
}

/** The time of a line: to the millisecond, with the day where the list spans several. */
function LineTime({ line, withDay, toSecond }: { line: RestLogLine; withDay: boolean; toSecond?: boolean }) {
  const { text, both } = useTimeText()
  const ms = Date.parse(line.timestamp)
  const clock = text(ms, 'clockMs')
  return (
    <time dateTime={line.timestamp} title={both(ms)} className="log-time">
      {withDay ? `${text(ms, 'shortDay')} ` : ''}
      {toSecond ? clock.replace(/[.,]\d{3}/, '') : clock}
    </time>
  )
}

/** One line. A click or Enter opens it. */
export const LogRow = memo(function LogRow({
  line,
  isOpen,
  isCursor,
  withDay,
  projectOf,
}: {
  line: RestLogLine
  isOpen: boolean
  isCursor: boolean
  withDay: boolean
  projectOf: ProjectOf
}) {
  return (
    <div className="log-row" data-line={line.id} data-open={isOpen || undefined} aria-current={isCursor || undefined}>
      <LineTime line={line} withDay={withDay} />
      <Marks line={line} projectOf={projectOf} />
      {line.columns.map((cell, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns are told apart by their place
        <span key={at} className="log-cell">
          {cell === null || cell === '' ? '' : <PlainText text={String(cell)} charactersMax={cellCharactersMax} />}
        </span>
      ))}
      <button type="button" className="log-text" aria-expanded={isOpen} tabIndex={isCursor ? 0 : -1}>
        <MessageText message={line.message} />
      </button>
    </div>
  )
})

/** Repeated lines as one row. A click shows all of them. */
export function FoldRow({
  id,
  lines,
  isCursor,
  withDay,
  columns,
  projectOf,
}: {
  id: string
  lines: readonly RestLogLine[]
  isCursor: boolean
  withDay: boolean
  columns: number
  projectOf: ProjectOf
}) {
  const t = useTranslations('logs')
  const [line] = lines
  if (!line) return null
  return (
    <div className="log-row log-fold" data-fold={id} aria-current={isCursor || undefined}>
      <LineTime line={line} withDay={withDay} toSecond />
      <Marks line={line} projectOf={projectOf} />
      {Array.from({ length: columns }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: empty columns
        <span key={at} className="log-cell" />
      ))}
      <button type="button" className="log-text" aria-expanded={false} tabIndex={isCursor ? 0 : -1}>
        <ChevronRight size={12} strokeWidth={1.75} aria-hidden="true" />
        <b>{t('times', { count: lines.length })}</b> <FoldedText lines={lines} />
      </button>
    </div>
  )
}

/** Lines that are missing here, and why. */
export function GapRow({ gap }: { gap: Gap }) {
  const t = useTranslations('logs.gap')
  const { range } = useTimeText()
  const { hour, reason, count } = gap
  return (
    <div className="log-row log-gap" role="note">
      <span className="log-time" />
      <span className="log-gap-text">
        {hour ? t('hour', { count, range: range(hour.fromMs, hour.toMs, 'clock') }) : t(reason, { count })}
      </span>
    </div>
  )
}
