import { systemClock } from '../base/clock.ts'
import { installNavigation, navigationStarts } from './client/nav.ts'
import { whenIdle } from './client/when-idle.ts'

/** Loads the error reporter (51 KiB) when the page is rendered and idle, or when there is an error to report. */
function startLater() {
  if (!window.mishap?.dsn) return
  let isRequested = false
  const load = () => {
    if (isRequested) return
    isRequested = true
    import('./client/reporter.ts')
      .then((module) => module.startReporter())
      .catch(() => {
        // The page works without the reporter. Its errors are only in the console.
      })
  }
  if (window.mishap?.errors?.length) return load()
  window.mishap = { ...window.mishap, loadReporter: load }
  whenIdle({ idleMs: 1000, atMostMs: 10_000 }, load)
  window.addEventListener('error', load, { once: true })
  window.addEventListener('unhandledrejection', load, { once: true })
}

installNavigation()
if (document.readyState === 'complete') startLater()
else window.addEventListener('load', () => requestAnimationFrame(() => systemClock.after(0, startLater)))

/** Next calls this when a client navigation begins. */
export function onRouterTransitionStart(url: string): void {
  navigationStarts(url)
}
