import * as Sentry from '@sentry/react'
import { createElement as h, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import {
  createBrowserRouter,
  createRoutesFromChildren,
  matchRoutes,
  useLocation,
  useNavigationType,
} from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { begin, sendRest, sent } from '../browser/send.js'

const asked = new URLSearchParams(location.search)
const client = asked.get('client')
Sentry.init({
  dsn: asked.get('dsn'),
  release: 'clients@1.0.0',
  tracesSampleRate: 1,
  enableLogs: true,
  integrations: [
    Sentry.reactRouterV7BrowserTracingIntegration({
      useEffect,
      useLocation,
      useNavigationType,
      createRoutesFromChildren,
      matchRoutes,
      idleTimeout: 100,
    }),
  ],
})
begin(Sentry, client)

function Cart() {
  const [broken, setBroken] = useState(false)
  if (broken) throw new RangeError('plain failure')
  return h('button', { id: 'go', type: 'button', onClick: () => setBroken(true) }, 'Go')
}

const router = Sentry.wrapCreateBrowserRouterV7(createBrowserRouter)([{ path: '/page/:name', element: h(Cart) }])
const told = Sentry.reactErrorHandler()
createRoot(document.querySelector('#app'), { onUncaughtError: told, onCaughtError: told }).render(
  h(RouterProvider, { router }),
)
window.sendRest = () => {
  sendRest(Sentry, client)
  return sent(Sentry)
}
