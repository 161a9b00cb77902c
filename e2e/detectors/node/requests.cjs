// Programs that send requests to other services.
const { expecting, range } = require('./queries.cjs')

const inTurn = async (get, addresses, ms) => {
  for (const address of addresses) await get(address, ms)
}

const sequential = {
  'three-services': { run: ({ get }) => inTurn(get, ['/catalog/featured', '/prices/today', '/stock/levels'], 700) },
  'four-services': { run: ({ get }) => inTurn(get, ['/profile', '/preferences', '/recommendations', '/banners'], 620) },
  'request-per-user': {
    run: ({ get }) =>
      inTurn(
        get,
        range(5).map((id) => `/users/${1000 + id}`),
        560,
      ),
  },
  'two-hosts': {
    run: async ({ get, getOther }) => {
      await get('/weather/berlin', 800)
      await getOther('/traffic/berlin', 900)
      await get('/events/berlin', 800)
    },
  },
  'with-statements-between': {
    run: async ({ get, fast }) => {
      await get('/catalog/categories', 750)
      await fast.query('SELECT name FROM customers WHERE id = $1', [1])
      await get('/reviews/latest', 650)
      await fast.query('SELECT id FROM orders LIMIT 1')
      await get('/shipping/options', 700)
    },
  },
  'each-in-a-function': {
    run: async ({ get, span }) => {
      for (const name of ['taxes', 'discounts', 'credit'])
        await span(`load ${name}`, 'function', () => get(`/${name}/current`, 800))
    },
  },
  'http-module': {
    run: async ({ request }) => {
      for (const path of ['/inventory/a', '/suppliers/all', '/contracts/open']) await request(path, 720)
    },
  },
  'six-short-of-a-second': {
    run: ({ get }) => inTurn(get, ['/a/first', '/b/second', '/c/third', '/d/fourth', '/e/fifth', '/f/sixth'], 900),
  },
}

const fine = {
  'parallel-requests': {
    run: ({ get }) => Promise.all(['/catalog', '/prices', '/stock'].map((path) => get(path, 800))),
  },
  'staggered-requests': {
    run: ({ get, wait }) =>
      Promise.all(
        range(4).map(async (at) => {
          await wait(at * 200)
          await get(`/feed/source-${'abcd'[at - 1]}`, 900)
        }),
      ),
  },
  'only-two': { run: ({ get }) => inTurn(get, ['/profile', '/orders'], 1100) },
  'five-quick': { run: ({ get }) => inTurn(get, ['/one', '/two', '/three', '/four', '/five'], 180) },
  'retries-of-a-request': {
    run: async ({ get, wait }) => {
      for (const attempt of range(4)) {
        await get('/payments/status', 600, attempt < 4 ? 503 : 200)
        await wait(attempt * 50)
      }
    },
  },
  'polls-a-job': {
    run: async ({ get, wait }) => {
      for (const _ of range(5)) {
        await get('/jobs/17', 550)
        await wait(200)
      }
    },
  },
  'long-polling': {
    run: ({ get }) =>
      inTurn(
        get,
        range(4).map((at) => `/messages?after=${at}`),
        900,
      ),
  },
  'token-then-data': {
    run: async ({ post, get }) => {
      await post('/oauth/token', 700)
      await get('/account', 700)
      await get('/account/orders', 700)
    },
  },
  'pages-of-a-list': {
    run: ({ get }) =>
      inTurn(
        get,
        range(6).map((page) => `/products?page=${page}`),
        600,
      ),
  },
  'writes-in-order': {
    run: async ({ post }) => {
      for (const path of ['/orders', '/payments', '/shipments', '/mails']) await post(path, 650)
    },
  },
  redirects: { run: ({ get }) => inTurn(get, ['/moved/here', '/moved/there', '/moved/home'], 150) },
  'sync-job': {
    kind: 'job',
    run: ({ get }) => inTurn(get, ['/export/customers', '/export/orders', '/export/items', '/export/taxes'], 800),
  },
  'download-job': {
    kind: 'job',
    run: ({ get }) =>
      inTurn(
        get,
        range(5).map((at) => `/files/${at}`),
        700,
      ),
  },
  'one-slow-of-three': {
    run: async ({ get }) => {
      await get('/search', 1900)
      await get('/suggestions', 90)
      await get('/history', 80)
    },
  },
  'paused-between': {
    run: async ({ get, wait }) => {
      for (const path of ['/step/one', '/step/two', '/step/three']) {
        await get(path, 600)
        await wait(1500)
      }
    },
  },
  'follows-a-link': {
    // Each answer names the next address, so the requests cannot run at once. Spans do not show that.
    run: ({ get }) => inTurn(get, ['/entry', '/customers/linked', '/contracts/linked'], 650),
    variants: 1,
  },
}

module.exports = { programs: { ...expecting(sequential, ['consecutiveHttp']), ...expecting(fine, []) } }
