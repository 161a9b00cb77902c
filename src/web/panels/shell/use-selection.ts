import { usePathname, useSearchParams } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import {
  type AddressSelection,
  addressSelection,
  rememberProjects,
  selectionAfter,
} from '../../client/project-selection.ts'
import { projectSlugs } from '../search/list-params.ts'
import type { Frame } from './frame.ts'

/**
 * The selected projects. `shown`: of the list on screen, where the address wins, else the remembered ones.
 * `remembered`: those that links to lists carry.
 */
export function useSelection({ organization, person, projects, selected }: Frame) {
  const path = usePathname()
  const search = useSearchParams()
  const [remembered, setRemembered] = useState(selected)
  const now = addressSelection(`/o/${organization.slug}`, path, search)
  const before = useRef<AddressSelection>(undefined)
  const remember = (slugs: readonly string[]) => {
    setRemembered([...slugs])
    rememberProjects(organization.slug, person.id, slugs)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each navigation
  useEffect(() => {
    const words = selectionAfter(before.current, now)
    before.current = now
    if (words) remember(projectSlugs(words, projects))
  }, [path, search])
  return { shown: now ? projectSlugs(now.words, projects) : remembered, remembered, remember }
}
