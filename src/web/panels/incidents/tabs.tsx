import { useTranslations } from 'next-intl'
import { Link } from '../../ui/link.tsx'

const tabs = [
  { id: 'incidents', path: '/incidents' },
  { id: 'onCall', path: '/on-call' },
  { id: 'mutes', path: '/mutes' },
] as const

/** The pages about incidents. */
export function IncidentTabs({ organization, here }: { organization: string; here: (typeof tabs)[number]['id'] }) {
  const t = useTranslations('incidents.tabs')
  return (
    <nav className="mb-4 flex flex-wrap gap-x-4 gap-y-1" aria-label={t('label')}>
      {tabs.map(({ id, path }) => (
        <Link
          key={id}
          className="link"
          href={`/o/${organization}/alerts${path}`}
          aria-current={id === here ? 'page' : undefined}
        >
          {t(id)}
        </Link>
      ))}
    </nav>
  )
}
