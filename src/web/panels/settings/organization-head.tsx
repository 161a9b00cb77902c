import { getTranslations } from 'next-intl/server'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'

const pages = ['organization', 'members'] as const

/** The head of an organization's settings pages: its name and links between the pages. */
export async function OrganizationHead({
  organization,
  here,
}: {
  organization: { slug: string; name: string }
  here: (typeof pages)[number]
}) {
  const t = await getTranslations('people')
  return (
    <header className="page-head">
      <h1>{t(here)}</h1>
      <span className="text-ink-3">
        <PlainText text={organization.name} charactersMax={64} />
      </span>
      <nav aria-label={t('organization')} className="ml-auto flex gap-4">
        {pages.map((page) => (
          <Link
            key={page}
            href={`/o/${organization.slug}/settings/${page}`}
            {...(page === here ? { 'aria-current': 'page' as const, className: 'font-[550]' } : { className: 'link' })}
          >
            {t(page)}
          </Link>
        ))}
      </nav>
    </header>
  )
}
