import { withBase } from '../../base-path.ts'

/**
 * The service worker that shows push messages. It handles nothing else, so pages never come from a cache. An address
 * outside of this origin is not opened.
 */
const source = `
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('push', (event) => {
  const content = event.data ? event.data.json() : {}
  event.waitUntil(
    self.registration.showNotification(String(content.title || 'Mishap'), {
      body: String(content.body || ''),
      tag: String(content.tag || ''),
      data: { url: String(content.url || '') },
    }),
  )
})
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  let target
  try { target = new URL(event.notification.data.url) } catch { return }
  if (target.origin !== self.location.origin) return
  event.waitUntil(
    self.clients.matchAll({ type: 'window' }).then((windows) => {
      const open = windows.find((client) => client.url === target.href)
      return open ? open.focus() : self.clients.openWindow(target.href)
    }),
  )
})
`

/** Answers the service worker for all pages of the web interface. */
export function GET(): Response {
  return new Response(source, {
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'service-worker-allowed': withBase('/'),
      'x-content-type-options': 'nosniff',
    },
  })
}
