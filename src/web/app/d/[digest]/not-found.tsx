'use client'
import { useParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { Button } from '../../../ui/controls.tsx'
import { PlainText } from '../../../ui/plain-text.tsx'

/** Status 404 for a digest that no readable event has: what it may be, and what to look at. */
export default function DigestNotSeen() {
  const t = useTranslations('issues.digest')
  const { digest } = useParams<{ digest: string }>()
  return (
    <main className="narrow-page" style={{ width: 'min(640px, 100%)' }}>
      <h1>
        {t('missing')}{' '}
        <code>
          <PlainText text={decodeURIComponent(digest ?? '')} charactersMax={200} />
        </code>
      </h1>
      <p className="mt-2 text-ink-2">{t('missingTodo')}</p>
      <ul className="mt-3 list-disc pl-5 text-ink-2">
        <li>{t('checkDelay')}</li>
        <li>{t('checkHook')}</li>
        <li>{t('checkAccess')}</li>
        <li>{t('checkSource')}</li>
      </ul>
      <Button className="mt-4" onClick={() => window.location.reload()}>
        {t('again')}
      </Button>
    </main>
  )
}
