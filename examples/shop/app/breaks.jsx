'use client'
import { sell } from './actions.js'

/** The next answers come as from a server that was deployed since: it lacks the files, or the actions, of this page. */
const isGone = (what) => {
  // biome-ignore lint/suspicious/noDocumentCookie: the proxy reads it, and the demonstration runs in every browser
  document.cookie = `gone=${what}; path=/; max-age=15`
}

/** As a browser runs the script of an extension: its address stands in the stack, and nothing of this page. */
function runExtension() {
  const script = document.createElement('script')
  script.textContent = `setTimeout(() => { throw new TypeError('no wallet in this page') })
//# sourceURL=chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn/inpage.js`
  document.head.append(script)
}

const ways = [
  ['promise', 'Nobody waits for it', 'A promise that is rejected and caught by nobody.', () => void pay(0)],
  ['api', 'A route handler', 'GET /api/fail answers 500.', () => void fetch('/api/fail')],
  [
    'chunk',
    'Old tab: a file is gone',
    'A part of the page that a newer deployment does not have any more.',
    async () => {
      isGone('chunks')
      await import('./late.js')
    },
  ],
  [
    'old-action',
    'Old tab: an action is gone',
    'A server action that a newer deployment does not know.',
    async () => {
      isGone('actions')
      await sell('kettle')
    },
  ],
  ['extension', 'An extension', 'Not this page’s own code: Mishap says so.', runExtension],
]

async function pay(amount) {
  if (amount === 0) throw new Error('nothing to pay')
}

export function Breaks() {
  return ways.map(([id, name, what, press]) => (
    <li key={id}>
      <button id={id} type="button" onClick={press}>
        {name}
      </button>
      <small>{what}</small>
    </li>
  ))
}
