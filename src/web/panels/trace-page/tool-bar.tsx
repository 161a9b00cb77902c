'use client'
import { ArrowDown, ArrowUp, Maximize2, Minus, Plus, Search } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { Button } from '../../ui/forms/controls.tsx'
import { KeyHint } from '../../ui/key-hint.tsx'
import { Choices, Popup } from '../../ui/popup.tsx'
import { Rail } from '../../ui/rail.tsx'
import { Segments } from '../../ui/segments.tsx'
import { isShifted } from './model.ts'
import type { TraceControls } from './use-trace.ts'
import { clockChoices } from './view-state.ts'
import { useWords } from './words.ts'

function Found({ trace }: { trace: TraceControls }) {
  const t = useTranslations('trace')
  const { matches, selected, isSearching } = trace
  if (!matches) return null
  const at = selected?.kind === 'node' ? matches.indexOf(selected.ref) : -1
  return (
    <>
      <span role="status" className="tp-dim">
        {isSearching
          ? t('searching')
          : at >= 0
            ? t('matchOf', { at: at + 1, count: matches.length })
            : t('matchCount', { count: matches.length })}
      </span>
      <Button
        compact
        icon
        look="plain"
        aria-label={t('keys.previous')}
        title={`${t('keys.previous')} (p)`}
        onClick={() => trace.stepMatch(-1)}
      >
        <ArrowUp size={14} strokeWidth={1.75} />
      </Button>
      <Button
        compact
        icon
        look="plain"
        aria-label={t('keys.next')}
        title={`${t('keys.next')} (n)`}
        onClick={() => trace.stepMatch(1)}
      >
        <ArrowDown size={14} strokeWidth={1.75} />
      </Button>
    </>
  )
}

function Zoom({ trace }: { trace: TraceControls }) {
  const t = useTranslations('trace')
  const acts = [
    ['keys.zoomOut', '-', Minus, () => trace.zoom('out')],
    ['keys.zoomIn', '+', Plus, () => trace.zoom('in')],
    ['keys.fit', '0', Maximize2, trace.fit],
  ] as const
  return (
    <span className="tp-zoom">
      {acts.map(([name, key, Icon, run]) => (
        <Button key={key} compact icon aria-label={t(name)} title={`${t(name)} (${key})`} onClick={run}>
          <Icon size={13} strokeWidth={1.75} aria-hidden="true" />
        </Button>
      ))}
    </span>
  )
}

/** Chooses the times of services whose clock differs. Only traces with such services have it. */
function ClockChoice({ trace }: { trace: TraceControls }) {
  const t = useTranslations('trace')
  const { model, clocks, setClocks } = trace
  if (!model.isRecorded && !isShifted(model.tree)) return null
  return (
    <Segments
      label={t('clocks')}
      value={clocks}
      choices={clockChoices.map((value) => ({ value, label: t(`clocksAs.${value}`) }))}
      onChange={setClocks}
    />
  )
}

/** Search, errors, legend, colours and zoom. */
export function ToolBar({ trace }: { trace: TraceControls }) {
  const t = useTranslations('trace')
  const words = useWords(trace.model)
  const { model, q, setQ, colour, setColour } = trace
  const errors = model.points.filter((point) => point.kind === 'error').length
  return (
    <search className="tp-tools">
      <label className="tp-search">
        <Search size={14} strokeWidth={1.75} aria-hidden="true" />
        <span className="sr-only">{t('search')}</span>
        <input
          data-search=""
          type="search"
          value={q}
          maxLength={500}
          placeholder={t('searchHint')}
          onChange={(event) => setQ(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            trace.stepMatch(event.shiftKey ? -1 : 1)
          }}
        />
      </label>
      <Found trace={trace} />
      {errors > 0 ? (
        <Button compact look="plain" onClick={trace.nextError}>
          <ArrowDown size={14} strokeWidth={1.75} aria-hidden="true" />
          {t('errorCount', { count: errors })} <KeyHint name="⇧N" />
        </Button>
      ) : null}
      <span className="tp-space" />
      <ul className="tp-legend">
        {model.view.projects.map((project, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: hidden projects have no id
          <li key={at}>
            {project.place >= 0 ? <Rail place={project.place} /> : <span className="rail tp-hidden-rail" />}
            {project.slug ?? t('hiddenProject')} <span className="tp-dim">{words.count(project.spans)}</span>
          </li>
        ))}
        <li>
          <span className="tp-critical" aria-hidden="true" /> {t('criticalPath')}
        </li>
      </ul>
      <ClockChoice trace={trace} />
      <Zoom trace={trace} />
      <Popup label={t('colour')} value={t(colour === 'op' ? 'byOp' : 'byProject')} name="colour">
        {(close) => (
          <Choices
            label={t('colour')}
            filterLabel={t('colour')}
            choices={(['project', 'op'] as const).map((value) => ({
              value,
              text: t(value === 'op' ? 'byOp' : 'byProject'),
              isChosen: value === colour,
            }))}
            choose={(value) => {
              setColour(value === 'op' ? 'op' : 'project')
              close()
            }}
          />
        )}
      </Popup>
    </search>
  )
}
