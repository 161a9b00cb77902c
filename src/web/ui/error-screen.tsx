'use client'
import { useEffect, useState } from 'react'
import { withBase } from '../base-path.ts'
import { reloadOnce, report } from '../client/report.ts'
import { buttonClass } from './controls.tsx'
import { CopyPlain } from './copy-plain.tsx'

export type PageError = Error & { digest?: string }

/** The one sentence of an application error; a digest means that it happened on the server. */
export function errorSentence(error: PageError): string {
  return `Application error: a ${error.digest ? 'server' : 'client'}-side exception has occurred`
}

/** Where the error is recorded. `isReported`: Mishap reports its own errors to itself, unless this is switched off. */
export function errorHint({ digest }: Pick<PageError, 'digest'>, isReported: boolean): string {
  if (digest)
    return isReported ? 'The digest below finds the error in Mishap itself.' : 'The log of the server has the error.'
  return isReported ? 'It has been reported. Try again, or reload the page.' : 'Try again, or reload the page.'
}

/**
 * The error screen, without translations or providers, because those may be what broke. Never shows a message or stack.
 * Reports the error once; a stale chunk reloads the page once instead.
 * An error with a digest happened on the server, which has reported it: a second report would be a second issue with its digest.
 */
export function ErrorScreen({
  error,
  retry,
  where,
}: {
  error: PageError
  retry: (() => void) | undefined
  where: string
}) {
  const [reloading, setReloading] = useState(false)
  const [isReported, setReported] = useState(true)
  useEffect(() => {
    // The page's scripts run, even when the frame that usually says so broke.
    window.mishap = { ...window.mishap, hydrated: true }
    // Read from the document: its first script did not run when the server answered with this screen.
    const dsn = document.querySelector<HTMLMetaElement>('meta[name="mishap-dsn"]')
    setReported(dsn?.content !== '')
    if (reloadOnce(error)) setReloading(true)
    else if (!error.digest) report(error, where)
  }, [error, where])
  if (reloading) return null
  return (
    <div role="alert" className="max-w-[72ch] px-5 py-12">
      <h1>{errorSentence(error)}</h1>
      <p className="mt-2 text-ink-2">{errorHint(error, isReported)}</p>
      {error.digest ? (
        <p className="mt-4 flex flex-wrap items-center gap-2">
          <span className="text-ink-3">Digest</span>
          <code>{error.digest}</code>
          <CopyPlain text={error.digest} />
          {isReported ? (
            <a className="link" href={withBase(`/d/${encodeURIComponent(error.digest)}`)}>
              Look it up
            </a>
          ) : null}
        </p>
      ) : null}
      <p className="mt-5 flex gap-2">
        {retry ? (
          <button type="button" className={buttonClass({ look: 'main' })} onClick={retry}>
            Try again
          </button>
        ) : null}
        <button type="button" className={buttonClass({})} onClick={() => location.reload()}>
          Reload
        </button>
      </p>
    </div>
  )
}
