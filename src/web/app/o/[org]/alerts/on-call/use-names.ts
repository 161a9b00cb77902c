'use client'
import { useTranslations } from 'next-intl'
import type { RestOnCallSchedule } from '../../../../../../contract/alerts/incidents.ts'

export type Person = RestOnCallSchedule['members'][number]

/** Name or address of a person; a dash for nobody. */
export const nameOf = (person: Person | null): string => person?.name || person?.email || '–'

/** Returns the function that names a person of a rota by id. It says of an unknown id that the person has left. */
export function useNames(people: readonly Person[]): (userId: string) => string {
  const t = useTranslations('incidents.onCall')
  const names = new Map(people.map(({ id, name, email }) => [id, name || email]))
  return (userId) => names.get(userId) ?? t('left')
}
