'use client'
import { useLocale, useTranslations } from 'next-intl'
import { useMemo } from 'react'
import { textOf } from '../../../domain/traces/trace-spans.ts'
import { vitalCurves, vitalRating } from '../../../domain/traces/vitals.ts'
import { durationText } from '../../ui/relative.ts'
import { isHidden, type TraceModel } from './model.ts'

/** See `useWords`. */
function wordsOf(
  model: TraceModel,
  t: ReturnType<typeof useTranslations<'trace'>>,
  { percent, whole, two, three }: Record<'percent' | 'whole' | 'two' | 'three', Intl.NumberFormat>,
  locale: string,
) {
  const { spans } = model.view
  const duration = (us: number) => durationText(us / 1000, locale, (value) => three.format(value))
  const vitalValue = (vital: keyof typeof vitalCurves, value: number) =>
    vital === 'cls' ? two.format(value) : duration(value * 1000)
  return {
    duration,
    /** A web vital: its name, its value with its rating, and the bounds of good and poor. */
    vital: (index: number): { name: string; value: string; bounds: string } => {
      const mark = model.vitals[index]
      if (!mark) return { name: '', value: '', bounds: '' }
      const { vital, value, isSoft } = mark
      const { good, poor } = vitalCurves[vital]
      return {
        name: isSoft ? t('softVital', { vital: vital.toUpperCase() }) : vital.toUpperCase(),
        value: t(`vitalRating.${vitalRating(vital, value)}`, { value: vitalValue(vital, value) }),
        bounds: t('vitalBounds', { good: vitalValue(vital, good), poor: vitalValue(vital, poor) }),
      }
    },
    share: (us: number) => percent.format(us / Math.max(1, model.toUs - model.fromUs)),
    count: (value: number) => whole.format(value),
    /** The op of a span, and the words for nodes that are none. */
    op: (node: number): string => {
      if (node >= model.tree.spanCount) return t('missingParent')
      if (isHidden(model, node)) return t('hidden')
      return textOf(spans, 'ops', node) || (textOf(spans, 'names', node) ? '' : t('noName'))
    },
    name: (node: number): string =>
      node >= model.tree.spanCount
        ? (model.tree.missingIds[node - model.tree.spanCount] ?? '')
        : textOf(spans, 'names', node),
    project: (node: number): string => model.view.projects[spans.projects[node] ?? 0]?.slug ?? t('hiddenProject'),
    run: (first: number): string => {
      const run = model.runAt.get(first)
      return run ? t('runSum', { total: duration(run.totalUs), each: duration(run.totalUs / run.times) }) : ''
    },
    gap: (kind: 'gap' | 'endGap', ref: number): string => {
      const gap = (kind === 'gap' ? model.gapsBefore : model.gapsAtEnd).get(ref)
      if (!gap) return ''
      return t(gap.kind === 'network' ? 'network' : 'noSpan', { duration: duration(gap.toUs - gap.fromUs) })
    },
  }
}

/** Words and numbers of a trace in the reader's language. The same object until the trace changes. */
export function useWords(model: TraceModel) {
  const t = useTranslations('trace')
  const locale = useLocale()
  // The rows of one frame have about a hundred numbers, and a new format costs more than the rest of a row.
  const formats = useMemo(
    () => ({
      percent: new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }),
      whole: new Intl.NumberFormat(locale),
      two: new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }),
      three: new Intl.NumberFormat(locale, { maximumSignificantDigits: 3, useGrouping: false }),
    }),
    [locale],
  )
  return useMemo(() => wordsOf(model, t, formats, locale), [model, t, formats, locale])
}

export type Words = ReturnType<typeof useWords>
