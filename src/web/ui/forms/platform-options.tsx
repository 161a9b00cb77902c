'use client'
import { useTranslations } from 'next-intl'
import { platformGroups } from '../../platforms.ts'

/** The options of a select of platforms, in groups. */
export function PlatformOptions() {
  const t = useTranslations('platformGroups')
  return platformGroups.map(({ id, platforms }) => (
    <optgroup key={id} label={t(id)}>
      {platforms.map((platform) => (
        <option key={platform.id} value={platform.id}>
          {platform.name}
        </option>
      ))}
    </optgroup>
  ))
}
