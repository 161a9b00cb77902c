'use client'
import { useEffect, useState } from 'react'
import { withBase } from '../base-path.ts'
import { reloadOnce, report } from '../client/report.ts'
import { CopyPlain } from './copy/copy-plain.tsx'
import { buttonClass } from './forms/controls.tsx'

export type PageError = Error & { digest?: string }

/** The headline of an application error. A digest means that it happened on the server. */
function errorSentence(error: PageError): string {
  return `Application error: a ${error.digest ? 'server' : 'client'}-side exception has occurred`
}

/** Where to find the error. `isReported`: Mishap reports its own errors to itself, unless this is switched off. */
export function errorHint({ digest }: Pick<PageError, 'digest'>, isReported: boolean): string {
  if (digest)
    return isReported ? 'The digest below finds the error in Mishap itself.' : 'The log of the server has the error.'
  return isReported ? 'It has been reported. Try again, or reload the page.' : 'Try again, or reload the page.'
}

/**
 * The error screen, without translations or providers, because those can be broken. Never shows a message or stack.
 * Reports the error once. A stale chunk reloads the page once instead. The server has already reported an error with a
 * digest; a second report would create a second issue with that digest.
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
    // The page's scripts run, even if the component that usually sets this failed.
    window.mishap = { ...window.mishap, hydrated: true }
    // Read from the document: its first script did not run if the server answered with this screen.
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
