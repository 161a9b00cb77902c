import { systemClock } from '../clock.ts'
import { installNavigation, navigationStarts } from './nav.ts'

/** The error reporter is 51 KiB: it is asked for after the first paint, when nothing else waits. */
function startLater() {
  if (!document.querySelector('meta[name="mishap-dsn"]')?.getAttribute('content')) return
  const load = () =>
    void import('./reporter.ts')
      .then((module) => module.startReporter())
      .catch(() => {
        // Without the reporter the page works; its own errors stay in the console.
      })
  if ('requestIdleCallback' in window) requestIdleCallback(load, { timeout: 3000 })
  else systemClock.after(500, load)
}

installNavigation()
if (document.readyState === 'complete') startLater()
else window.addEventListener('load', () => requestAnimationFrame(() => systemClock.after(0, startLater)))

/** Next calls this when a client navigation begins. */
export function onRouterTransitionStart(url: string): void {
  navigationStarts(url)
}
