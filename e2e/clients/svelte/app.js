import * as Sentry from '@sentry/svelte'
import { mount } from 'svelte'
import { begin, sendRest, sent } from '../browser/send.js'
import App from './App.svelte'

const asked = new URLSearchParams(location.search)
const client = asked.get('client')
Sentry.init({ dsn: asked.get('dsn'), release: 'clients@1.0.0', tracesSampleRate: 1, enableLogs: true })
begin(Sentry, client)
mount(App, { target: document.querySelector('#app') })
window.sendRest = () => {
  sendRest(Sentry, client)
  return sent(Sentry)
}
