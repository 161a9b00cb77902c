'use client'
import { useLocale, useTranslations } from 'next-intl'
import { textOf } from '../../../domain/trace-spans.ts'
import { durationText } from '../../ui/relative.ts'
import { isHidden, runOfNode, type TraceModel } from './model.ts'

/** Words and numbers of a trace in the reader's language. */
export function useWords(model: TraceModel) {
  const t = useTranslations('trace')
  const locale = useLocale()
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
  const whole = new Intl.NumberFormat(locale)
  const { spans } = model.view
  const duration = (us: number) => durationText(us / 1000, locale)
  return {
    duration,
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
      const run = runOfNode(model, first)
      return run ? t('runSum', { total: duration(run.totalUs), each: duration(run.totalUs / run.count) }) : ''
    },
    gap: (kind: 'gap' | 'endGap', ref: number): string => {
      const gap = (kind === 'gap' ? model.gapsBefore : model.gapsAtEnd).get(ref)
      if (!gap) return ''
      return t(gap.kind === 'network' ? 'network' : 'noSpan', { duration: duration(gap.toUs - gap.fromUs) })
    },
  }
}

export type Words = ReturnType<typeof useWords>
