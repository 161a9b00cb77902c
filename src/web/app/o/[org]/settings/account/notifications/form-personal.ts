import type { PersonalChange } from '../../../../../../../contract/personal.ts'
import {
  digestPaces,
  type PersonalKind,
  type Place,
  type ProjectMode,
  personalKinds,
  places,
  projectModes,
} from '../../../../../../../domain/personal.ts'
import { textOf } from '../../../../../../client/form.ts'

/** The name of the check box of a kind and a place. */
export const boxName = (kind: PersonalKind, place: Place): string => `${kind}.${place}`

const projectPrefix = 'project.'
/** The name of the select of a project. */
export const projectField = (slug: string): string => `${projectPrefix}${slug}`

/** Reads the form. Values that it does not offer count as their first choice. */
export function changeIn(data: FormData): PersonalChange {
  const kinds: PersonalChange['kinds'] = {}
  for (const kind of personalKinds) kinds[kind] = places.filter((place) => textOf(data, boxName(kind, place)) === 'on')
  const projects: Record<string, ProjectMode> = {}
  for (const name of data.keys()) {
    const mode = projectModes.find((candidate) => candidate === textOf(data, name))
    if (name.startsWith(projectPrefix) && mode) projects[name.slice(projectPrefix.length)] = mode
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
