'use client'
import { usePathname } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { Link } from '../../ui/link.tsx'

const tabs = [{ id: 'rules', path: '' }] as const

/** The pages of alerts. */
export function AlertTabs({ organization }: { organization: string }) {
  const t = useTranslations('alerts.tabs')
  const path = usePathname()
  return (
    <nav className="alert-tabs" aria-label={t('label')}>
      {tabs.map((tab) => {
        const href = `/o/${organization}/alerts${tab.path}`
        return (
          <Link key={tab.id} href={href} aria-current={path === href ? 'page' : undefined}>
            {t(tab.id)}
          </Link>
        )
      })}
    </nav>
  )
}
