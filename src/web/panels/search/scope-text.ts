import { plainValuesOf, searchKeyOf } from '../../../query/search.ts'
import { type ListParams, type ProjectName, projectIdsOf, projectSlugs } from './list-params.ts'
import { quoted, termsOf, withoutTerm } from './terms.ts'

// The search text and the scope controls show the same filters. Project and environment are parameters of the URL. In
// the box they are terms of the text. Both ways lead to the same state.

type ScopeKey = 'project' | 'environment'
type Scoped = Pick<ListParams, 'q' | 'project' | 'env'>

const keyOf = (key: string): ScopeKey | undefined => {
  const name = searchKeyOf(key.replace(/^!/, '').replace(/:$/, ''))?.name
  return name === 'project' || name === 'environment' ? name : undefined
}

/** The terms outside of parentheses, with their index. `hasOr`: an OR joins some of them. */
function topTerms(text: string) {
  let depth = 0
  let hasOr = false
  const terms = termsOf(text).flatMap((term, index) => {
    if (term.text === '(') depth++
    else if (term.text === ')') depth--
    else if (depth === 0 && term.kind === 'operator') hasOr ||= term.text === 'OR'
    // `!(` is a term with a parenthesis behind it.
    return depth === 0 && term.kind === 'filter' ? [{ ...term, index }] : []
  })
  return { terms, hasOr }
}

/** Moves the term of a key out of the text, if it stands for a parameter: the only term of its key, without ! and wildcards. */
function lift(q: string, key: ScopeKey, isKnown: (value: string) => boolean): { q: string; values: string[] } {
  const { terms, hasOr } = topTerms(q)
  const [term, ...others] = terms.filter((candidate) => keyOf(candidate.key) === key)
  if (!term || others.length > 0 || hasOr || term.key.startsWith('!')) return { q, values: [] }
  const values = plainValuesOf(term.text) ?? []
  const isParameter = values.length > 0 && values.every((value) => isKnown(value) && !/^$|,/.test(value))
  return isParameter ? { q: withoutTerm(q, term.index), values } : { q, values: [] }
}

/** The state in which project and environment are parameters wherever the text allows it. */
export function withScope<Params extends Scoped>(params: Params, projects: readonly ProjectName[]): Params {
  const isProject = (slug: string) => projects.some((project) => project.slug === slug)
  const project = params.project ? { q: params.q, values: [] } : lift(params.q, 'project', isProject)
  const env = params.env ? { q: project.q, values: [] } : lift(project.q, 'environment', () => true)
  return {
    ...params,
    q: env.q,
    project: params.project || project.values.join(','),
    env: params.env || env.values.join(','),
  }
}

const termOf = (key: ScopeKey, values: readonly string[]): string => {
  const texts = values.map(quoted)
  return `${key}:${texts.length === 1 ? texts[0] : `[${texts.join(',')}]`}`
}

const partsOf = (text: string) => text.split(',').filter((part) => part !== '')

/** The whole search as one text: what the box shows and edits. */
export function searchText({ q, project, env }: Scoped, projects: readonly ProjectName[]): string {
  const scope = [
    ...(project ? [termOf('project', projectSlugs(projectIdsOf(project, projects), projects))] : []),
    ...(env ? [termOf('environment', partsOf(env))] : []),
  ]
  if (scope.length === 0) return q
  // AND binds tighter than OR.
  const inner = topTerms(q).hasOr ? `(${q})` : q.trim()
  return [...(inner ? [inner] : []), ...scope].join(' ')
}

/** The terms of a key that are no parameter, as the text has them. */
export const otherTerms = (q: string, key: ScopeKey): string[] =>
  termsOf(q)
    .filter((term) => term.kind === 'filter' && keyOf(term.key) === key)
    .map((term) => term.text)

/** The text without the terms of a key: a control replaces them. */
export function withoutKey(q: string, key: ScopeKey): string {
  const index = termsOf(q).findIndex((term) => term.kind === 'filter' && keyOf(term.key) === key)
  return index < 0 ? q : withoutKey(withoutTerm(q, index), key)
}
