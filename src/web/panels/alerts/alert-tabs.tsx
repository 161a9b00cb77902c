'use client'
import '../../styles/issues.css'
import './alerts.css'
import { usePathname } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { Link } from '../../ui/link.tsx'

const tabs = [
  { id: 'rules', path: '' },
  { id: 'incidents', path: '/incidents' },
  { id: 'onCall', path: '/on-call' },
  { id: 'mutes', path: '/mutes' },
] as const

/** The pages of alerts. */
export function AlertTabs({ organization }: { organization: string }) {
  const t = useTranslations('alerts.tabs')
  const path = usePathname()
  return (
    <nav className="alert-tabs" aria-label={t('label')}>
      {tabs.map((tab) => {
        const href = `/o/${organization}/alerts${tab.path}`
        // One incident is a page below its list.
        const isBelow = tab.path !== '' && path.startsWith(`${href}/`)
        return (
          <Link key={tab.id} href={href} aria-current={path === href ? 'page' : isBelow ? 'true' : undefined}>
            {t(tab.id)}
          </Link>
        )
      })}
    </nav>
  )
}
