import type { PersonalChange } from '../../../../../../../contract/alerts/personal.ts'
import {
  digestPaces,
  type PersonalKind,
  type Place,
  type ProjectChoice,
  personalKinds,
  places,
  projectKinds,
  projectModes,
} from '../../../../../../../domain/alerts/personal.ts'
import { textOf } from '../../../../../../client/form.ts'

/** The name of the check box of a kind and a place. */
export const boxName = (kind: PersonalKind, place: Place): string => `${kind}.${place}`

const projectPrefix = 'project.'
/** The name of the select of a project. */
export const projectField = (slug: string): string => `${projectPrefix}${slug}`
/** The value of that select for places of the project's own. */
export const ownPlaces = 'own'
/** The name of the check box of a kind and a place in a project. No slug has a colon. */
export const projectBox = (slug: string, kind: PersonalKind, place: Place): string =>
  `own:${slug}:${boxName(kind, place)}`

function choiceIn(data: FormData, slug: string): ProjectChoice | undefined {
  const value = textOf(data, projectField(slug))
  if (value !== ownPlaces) return projectModes.find((mode) => mode === value)
  const kindsOf = (kind: PersonalKind) => places.filter((place) => textOf(data, projectBox(slug, kind, place)) === 'on')
  return { kinds: Object.fromEntries(projectKinds.map((kind) => [kind, kindsOf(kind)])) }
}

/** Reads the form. Values that it does not offer count as their first choice. */
export function changeIn(data: FormData): PersonalChange {
  const kinds: PersonalChange['kinds'] = {}
  for (const kind of personalKinds) kinds[kind] = places.filter((place) => textOf(data, boxName(kind, place)) === 'on')
  const projects: Record<string, ProjectChoice> = {}
  for (const name of data.keys()) {
    const slug = name.startsWith(projectPrefix) ? name.slice(projectPrefix.length) : undefined
    const choice = slug === undefined ? undefined : choiceIn(data, slug)
    if (slug !== undefined && choice) projects[slug] = choice
  }
  const [from, to] = [textOf(data, 'quietFrom'), textOf(data, 'quietTo')]
  return {
    kinds,
    digest: digestPaces.find((pace) => pace === textOf(data, 'digest')) ?? 'off',
    report: textOf(data, 'report') === 'on',
    projects,
    // Both empty: none. Only one: the operation refuses the times, because they are equal to nothing.
    quietHours: from === '' && to === '' ? null : { from, to },
    timeZone: textOf(data, 'timeZone').trim(),
  }
}
