import * as Sentry from '@sentry/vue'
import { createApp, h, ref } from 'vue'
import { begin, sendRest, sent } from '../browser/send.js'

const asked = new URLSearchParams(location.search)
const client = asked.get('client')
const broken = ref(false)
const Cart = {
  name: 'CartList',
  render: () => {
    if (broken.value) throw new RangeError('plain failure')
    return h('p', 'cart')
  },
}
const app = createApp({
  name: 'ShopPage',
  render: () => [
    h(
      'button',
      {
        id: 'go',
        onClick: () => {
          broken.value = true
        },
      },
      'Go',
    ),
    h(Cart),
  ],
})
Sentry.init({ app, dsn: asked.get('dsn'), release: 'clients@1.0.0', tracesSampleRate: 1, enableLogs: true })
begin(Sentry, client)
app.mount('#app')
window.sendRest = () => {
  sendRest(Sentry, client)
  return sent(Sentry)
}
