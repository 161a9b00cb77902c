import { getTranslations } from 'next-intl/server'
import type { Dataset } from '../../../domain/datasets.ts'
import { exploreAnswer } from '../../../query/explore-answer.ts'
import { fieldNamesOf } from '../../../query/field-names.ts'
import type { View } from '../../../query/issue.ts'
import { app } from '../../handle.ts'
import { codeOf, unlessAway } from '../../server/unless-away.ts'
import type { ExploreProps } from './explore.tsx'
import type { ExploreParams } from './params.ts'

const causesOf = (error: unknown): string[] =>
  typeof error === 'object' && error !== null && 'causes' in error && Array.isArray(error.causes)
    ? error.causes.map(String)
    : []

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
    const message = error instanceof Error ? error.message : code
    return { answer: undefined, failed: { message, code, causes: causesOf(error) } }
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
