'use client'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { withBase } from '../../../../../../base-path.ts'
import { Button } from '../../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../../ui/plain-text.tsx'
import { Time } from '../../../../../../ui/time.tsx'
import { addPushBrowserAction, removePushBrowserAction } from './push-actions.ts'

export type ShownBrowser = { id: number; browser: string; createdMs: number; goneMs: number | null }

/** Subscribes this browser, and returns what its push service needs. Throws the errors of the browser. */
async function subscribe(publicKey: string): Promise<PushSubscriptionJSON> {
  const registration = await navigator.serviceWorker.register(withBase('/push-worker.js'), { scope: withBase('/') })
  await navigator.serviceWorker.ready
  // A subscription with an earlier key of this installation would never get a message.
  await (await registration.pushManager.getSubscription())?.unsubscribe()
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  return (await registration.pushManager.subscribe(options)).toJSON()
}

type Shown = { kind: 'idle' | 'busy' | 'done' | 'denied' } | { kind: 'failed'; error: string }

/** The person's browsers that get push messages, and a button for this browser. */
export function PushBrowsers({ publicKey, browsers }: { publicKey: string; browsers: readonly ShownBrowser[] }) {
  const t = useTranslations('channels')
  const [supported, setSupported] = useState(true)
  const [shown, setShown] = useState<Shown>({ kind: 'idle' })
  useEffect(() => setSupported('serviceWorker' in navigator && 'PushManager' in window), [])

  async function turnOn() {
    setShown({ kind: 'busy' })
    try {
      if ((await Notification.requestPermission()) !== 'granted') return setShown({ kind: 'denied' })
      const { endpoint = '', keys = {} } = await subscribe(publicKey)
      const error = await addPushBrowserAction({ endpoint, p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' })
      setShown(error === null ? { kind: 'done' } : { kind: 'failed', error })
    } catch (error) {
      setShown({ kind: 'failed', error: error instanceof Error ? error.message : '' })
    }
  }

  return (
    <section id="browsers" className="mt-10">
      <h2>{t('pushTitle')}</h2>
      <p className="mb-3 max-w-[72ch] text-ink-2">{t('pushIntro')}</p>
      {browsers.length ? (
        <ul className="mb-3 border-t border-line">
          {browsers.map(({ id, browser, createdMs, goneMs }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-3 border-b border-line py-2">
              <PlainText text={browser} />
              {goneMs === null ? (
                <span className="text-ink-3">
                  {t('since')} <Time at={createdMs} />
                </span>
              ) : (
                <span className="text-warning">
                  {t('pushGone')} <Time at={goneMs} />
                </span>
              )}
              <Button
                compact
                className="ml-auto"
                aria-label={t(goneMs === null ? 'pushOffLabel' : 'pushGoneLabel', { browser })}
                onClick={() => void removePushBrowserAction(id)}
              >
                {t(goneMs === null ? 'pushOff' : 'pushGoneOk')}
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        <p className="mb-3 text-ink-3">{t('pushNone')}</p>
      )}
      {supported ? (
        <div className="flex flex-wrap items-center gap-3">
          <Button disabled={shown.kind === 'busy'} onClick={() => void turnOn()}>
            {t('pushOn')}
          </Button>
          {shown.kind === 'done' ? <span role="status">{t('pushDone')}</span> : null}
          {shown.kind === 'denied' ? <span role="alert">{t('pushDenied')}</span> : null}
          {shown.kind === 'failed' ? (
            <span role="alert">
              <PlainText text={t('pushFailed', { error: shown.error })} />
            </span>
          ) : null}
        </div>
      ) : (
        <p className="text-ink-2">{t('pushUnsupported')}</p>
      )}
    </section>
  )
}
