import { getTranslations } from 'next-intl/server'
import type { Dataset } from '../../../domain/datasets.ts'
import { exploreAnswer } from '../../../query/explore/explore-answer.ts'
import { fieldNamesOf } from '../../../query/explore/field-names.ts'
import type { View } from '../../../query/issues/issue.ts'
import { app } from '../../handle.ts'
import { codeOf, unlessAway } from '../../server/unless-away.ts'
import type { ExploreProps } from './explore.tsx'
import type { ExploreParams } from './params.ts'

const causesOf = (error: unknown): string[] =>
  typeof error === 'object' && error !== null && 'causes' in error && Array.isArray(error.causes)
    ? error.causes.map(String)
    : []

/** The sentence of a wrong part of the plan, with its name; else that of the error. */
function sentenceOf(error: unknown, code: string): string {
  const fields = typeof error === 'object' && error !== null && 'fields' in error ? error.fields : undefined
  if (fields && typeof fields === 'object')
    for (const [name, sentences] of Object.entries(fields))
      if (Array.isArray(sentences) && sentences.length > 0) return `${name}: ${String(sentences[0])}`
  return error instanceof Error ? error.message : code
}

/** The answer to the plan of the page, or why there is none. Other errors go to the error screen. */
export async function loadAnswer(
  view: View,
  { plan, mode }: ExploreParams,
): Promise<Pick<ExploreProps, 'answer' | 'failed'>> {
  try {
    const answer = await exploreAnswer(app(), view, plan, { withChart: mode === 'chart' })
    return { answer, failed: undefined }
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (!/^(STORE_UNAVAILABLE|VALIDATION|QUERY_[A-Z_]+)$/.test(code)) throw error
    if (code === 'STORE_UNAVAILABLE' || code === 'QUERY_TIMEOUT') {
      const t = await getTranslations('explore.failed')
      const kind = code === 'QUERY_TIMEOUT' ? 'late' : 'away'
      return { answer: undefined, failed: { message: t(kind), todo: t(`${kind}Todo`), code, causes: [] } }
    }
    return { answer: undefined, failed: { message: sentenceOf(error, code), code, causes: causesOf(error) } }
  }
}

/** Names of fields for completion: those of the dataset, then attributes in use. */
export async function loadFields(view: View, dataset: Dataset): Promise<string[]> {
  const scope = {
    projectIds: view.projects.map(({ id }) => id),
    environments: view.environments,
    fromMs: view.range.fromMs,
    toMs: view.range.toMs,
  }
  return (await unlessAway(fieldNamesOf(app(), dataset, scope))) ?? []
}
