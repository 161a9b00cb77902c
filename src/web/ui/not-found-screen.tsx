'use client'
import { useParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { FindForm } from './forms/find-form.tsx'
import { Link } from './link.tsx'

const places = [
  { id: 'issues', path: '/issues' },
  { id: 'projects', path: '/projects' },
  { id: 'settings', path: '/settings' },
] as const

/** The not-found page: a search of the issues, and links to continue. `organization`: when the address has none. */
export function NotFoundScreen({ organization }: { organization?: string }) {
  const t = useTranslations('missing')
  const next = useTranslations('frame.missing')
  const params = useParams<{ org?: string }>()
  const org = organization ?? params.org
  return (
    <div className="max-w-[72ch] px-5 py-12">
      <h1>{t('title')}</h1>
      <p className="mt-2 text-ink-2">{t('todo')}</p>
      <FindForm org={org} />
      {org ? (
        <p className="mt-5 flex flex-wrap items-baseline gap-x-4 gap-y-1">
          <span className="text-ink-3">{next('continue')}</span>
          {places.map(({ id, path }) => (
            <Link key={id} className="link" href={`/o/${org}${path}`}>
              {next(id)}
            </Link>
          ))}
        </p>
      ) : null}
    </div>
  )
}
