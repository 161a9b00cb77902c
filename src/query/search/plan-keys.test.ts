import { describe, expect, test } from 'vitest'
import type { Branch } from './branches.ts'
import type { SearchContext } from './context.ts'
import { searchKeys } from './keys.ts'
import { parseSearch } from './parse.ts'
import { planOf } from './plan.ts'
import { splitRelease } from './release-parts.ts'
import { states } from './states.ts'

// Every search key, from its text to the conditions for the stores, with its negation.

const nowMs = 1_795_000_000_000
const hourMs = 3_600_000
const context: SearchContext = {
  lists: 'issues',
  nowMs,
  meUserId: 'me-id',
  userIdOf: async (email) => (email === 'ada@example.test' ? 'ada-id' : undefined),
  projectIdsOf: (wanted) => (wanted.wild ? [1, 2] : wanted.text === 'web' ? [1] : []),
  projectIds: [1, 2, 3],
  latestReleases: async () => ['api@7', 'web@9'],
  releases: async () => ['web@1.2.0+7', 'web@1.10.0', 'api@7', 'nightly'].map(splitRelease),
  releaseStages: async () => [
    { projectId: 2, version: 'web@2', stage: 'low', sessions: 90 },
    { projectId: 1, version: 'web@2', stage: 'adopted', sessions: 60 },
    { projectId: 1, version: 'web@1', stage: 'replaced', sessions: 50 },
  ],
}
const plan = async (text: string): Promise<Branch[]> => (await planOf(parseSearch(text), context)).branches
const issue = (field: string, value: string, match = 'is') => ({ issue: { op: 'field', field, match, value } })
const event = (field: string, value: string, match = 'is') => ({ event: { op: 'field', field, match, value } })
const number = (field: string, compare: string, value: number) => ({ issue: { op: 'number', field, compare, value } })
const tagged = (key: string, value: string, match = 'is') => ({ event: { op: 'tag', key, match, value } })
const framed = (key: string, value: string, match = 'is') => ({ event: { op: 'frame', key, match, value } })
const releases = (...values: string[]) => ({ event: { op: 'releases', values } })
/** Events of releases of one project. */
const staged = (id: number, ...values: string[]) => ({
  op: 'and',
  of: [
    { op: 'projects', ids: [id] },
    { op: 'releases', values },
  ],
})
const everyStage = { event: { op: 'or', of: [staged(1, 'web@1', 'web@2'), staged(2, 'web@2')] } }
const not = (branch: object) =>
  Object.fromEntries(Object.entries(branch).map(([kind, of]) => [kind, { op: 'not', of }]))
const everything = [{}]
const nothing: Branch[] = []

/** The condition, and its negation if that is not a plain `not`. */
const cases: Record<string, [text: string, branches: object[], negated?: object[]][]> = {
  is: [['is:ongoing', [{ issue: { op: 'substatus', value: 'ongoing' } }]]],
  has: [['has:fruit', [{ event: { op: 'tag', key: 'fruit', match: 'has', value: '' } }]]],
  assigned: [
    ['assigned:any', [{ issue: { op: 'assigned', userId: 'any' } }]],
    ['assigned:ada@example.test', [{ issue: { op: 'assigned', userId: 'ada-id' } }]],
    ['assigned:ME', [{ issue: { op: 'assigned', userId: 'me-id' } }]],
    ['assigned:eve@example.test', nothing, everything],
    ['assigned:""', [{ issue: { op: 'assigned', userId: null } }]],
  ],
  assigned_or_suggested: [
    [
      'assigned_or_suggested:me',
      [
        {
          issue: {
            op: 'or',
            of: [
              { op: 'assigned', userId: 'me-id' },
              {
                op: 'and',
                of: [
                  { op: 'assigned', userId: null },
                  { op: 'suggested', userId: 'me-id' },
                ],
              },
            ],
          },
        },
      ],
    ],
    [
      'assigned_or_suggested:none',
      [
        {
          issue: {
            op: 'and',
            of: [
              { op: 'assigned', userId: null },
              { op: 'not', of: { op: 'suggested', userId: 'any' } },
            ],
          },
        },
      ],
    ],
    ['assigned_or_suggested:eve@example.test', nothing, everything],
  ],
  bookmarks: [
    ['bookmarks:me', [{ issue: { op: 'bookmarked', userId: 'me-id' } }]],
    ['bookmarks:eve@example.test', nothing, everything],
  ],
  subscribed: [['subscribed:ada@example.test', [{ issue: { op: 'subscribed', userId: 'ada-id' } }]]],
  detector: [['detector:cron', nothing, everything]],
  issue: [
    ['issue:web-7', [issue('shortId', 'WEB-7')]],
    ['issue:web-*', [issue('shortId', 'WEB-*', 'like')]],
  ],
  'issue.id': [['issue.id:5', [number('id', '=', 5)]]],
  'issue.category': [
    ['issue.category:error', [{ issue: { op: 'not', of: issue('kind', 'performance_*', 'like').issue } }]],
    ['issue.category:performance', [issue('kind', 'performance_*', 'like')]],
    ['issue.category:cron', nothing, everything],
    ['issue.category:feedback', [{ issue: { op: 'feedback' } }]],
    [
      'issue.category:[feedback, performance]',
      [{ issue: { op: 'or', of: [{ op: 'feedback' }, issue('kind', 'performance_*', 'like').issue] } }],
    ],
  ],
  'issue.type': [
    ['issue.type:error', [{ issue: { op: 'not', of: issue('kind', 'performance_*', 'like').issue } }]],
    ['issue.type:performance_slow_db_query', [issue('kind', 'performance_slow_db_query')]],
    ['issue.type:performance_made_up', nothing, everything],
  ],
  'issue.priority': [
    ['issue.priority:Medium', [{ issue: { op: 'priority', value: 'medium' } }]],
    [
      'issue.priority:[high,low]',
      [{ issue: { op: 'or', of: ['high', 'low'].map((value) => ({ op: 'priority', value })) } }],
    ],
    ['issue.priority:__proto__', nothing, everything],
    ['issue.priority:urgent', nothing, everything],
  ],
  firstSeen: [['firstSeen:-24h', [number('firstSeen', '>=', nowMs - 24 * hourMs)]]],
  lastSeen: [['lastSeen:+24h', [number('lastSeen', '<=', nowMs - 24 * hourMs)]]],
  age: [['age:>2026-01-31', [number('firstSeen', '>', Date.UTC(2026, 0, 31))]]],
  timestamp: [
    ['timestamp:-1h', [{ fromMs: nowMs - hourMs }], [{ toMs: nowMs - hourMs }]],
    ['timestamp:<2026-01-31', [{ toMs: Date.UTC(2026, 0, 31) }], [{ fromMs: Date.UTC(2026, 0, 31) }]],
  ],
  timesSeen: [
    ['timesSeen:>=3', [number('count', '>=', 3)]],
    ['timesSeen:3', [number('count', '=', 3)]],
  ],
  level: [['level:fatal', [issue('level', 'fatal')]]],
  title: [['title:"*x y*"', [issue('title', '*x y*', 'like')]]],
  culprit: [['culprit:app', [issue('culprit', 'app')]]],
  message: [
    ['message:word', [{ event: { op: 'text', value: 'word' } }]],
    ['message:w*d', [event('message', 'w*d', 'like')]],
  ],
  platform: [['platform:javascript', [issue('platform', 'javascript')]]],
  logger: [['logger:db', [issue('logger', 'db')]]],
  'error.type': [['error.type:TypeError', [issue('errorType', 'TypeError')]]],
  'error.value': [['error.value:x*', [issue('errorValue', 'x*', 'like')]]],
  'error.handled': [['error.handled:false', [{ issue: { op: 'unhandled', value: true } }]]],
  'error.unhandled': [['error.unhandled:false', [{ issue: { op: 'unhandled', value: false } }]]],
  'error.main_thread': [['error.main_thread:true', [framed('main_thread', 'true')]]],
  symbolicated_in_app: [['symbolicated_in_app:false', [framed('symbolicated_in_app', 'false')]]],
  'stack.function': [
    ['stack.function:render', [framed('function', 'render')]],
    ['stack.function:re*', [framed('function', 're*', 'like')]],
    ['stack.function:\uf00dContains\uf00dend', [framed('function', '*end*', 'like')]],
    [
      'stack.function:[a,b*]',
      [{ event: { op: 'or', of: [framed('function', 'a').event, framed('function', 'b*', 'like').event] } }],
    ],
    ['stack.function:""', [{ event: { op: 'not', of: framed('function', '', 'has').event } }]],
  ],
  'stack.filename': [['stack.filename:"/a b.js"', [framed('filename', '/a b.js')]]],
  'stack.abs_path': [['stack.abs_path:*/cart.js', [framed('abs_path', '*/cart.js', 'like')]]],
  'stack.module': [['stack.module:shop.cart', [framed('module', 'shop.cart')]]],
  'stack.package': [['stack.package:libc.so', [framed('package', 'libc.so')]]],
  'stack.in_app': [
    ['stack.in_app:1', [framed('in_app', 'true')]],
    ['stack.in_app:FALSE', [framed('in_app', 'false')]],
  ],
  'stack.lineno': [['stack.lineno:>5', nothing, everything]],
  'stack.colno': [['stack.colno:5', nothing, everything]],
  firstRelease: [
    ['firstRelease:web@1', [issue('firstRelease', 'web@1')]],
    [
      'first_release:Latest',
      [{ issue: { op: 'or', of: ['api@7', 'web@9'].map((item) => issue('firstRelease', item).issue) } }],
    ],
    ['firstRelease:late*', [issue('firstRelease', 'late*', 'like')]],
  ],
  lastRelease: [['lastRelease:web@*', [issue('lastRelease', 'web@*', 'like')]]],
  release: [
    ['release:web@1', [event('release', 'web@1')]],
    ['release:latest', [{ event: { op: 'or', of: ['api@7', 'web@9'].map((item) => event('release', item).event) } }]],
  ],
  dist: [['dist:7', [{ event: { op: 'tag', key: 'dist', match: 'is', value: '7' } }]]],
  environment: [['environment:prod*', [event('environment', 'prod*', 'like')]]],
  transaction: [['transaction:/cart', [event('transaction', '/cart')]]],
  'event.type': [
    ['event.type:error', [issue('kind', 'error')]],
    ['event.type:default', [issue('kind', 'message')]],
    ['event.type:csp', [issue('kind', 'csp')]],
    ['event.type:transaction', nothing, everything],
  ],
  trace: [['trace:ABCD-ef', [event('trace_id', 'abcdef')]]],
  digest: [['digest:3141', [event('digest', '3141')]]],
  id: [['id:AA-BB', [event('event_id', 'aabb')]]],
  project: [
    ['project:web', [{ projectIds: [1] }], [{ projectIds: [2, 3] }]],
    ['project:w*', [{ projectIds: [1, 2] }], [{ projectIds: [3] }]],
    ['project:none', nothing, [{ projectIds: [1, 2, 3] }]],
  ],
  'project.id': [
    ['project.id:2', [{ projectIds: [2] }], [{ projectIds: [1, 3] }]],
    ['project.id:<2', [{ projectIds: [1] }], [{ projectIds: [2, 3] }]],
    ['project.id:<=2', [{ projectIds: [1, 2] }], [{ projectIds: [3] }]],
    ['project.id:>=2', [{ projectIds: [2, 3] }], [{ projectIds: [1] }]],
    ['project.id:!=2', [{ projectIds: [1] }, { projectIds: [3] }], [{ projectIds: [2] }]],
  ],
  'transaction.duration': [['transaction.duration:>5s', nothing, everything]],
  url: [['url:*/cart', [tagged('url', '*/cart', 'like')]]],
  user: [['user:"id:7"', [tagged('user', 'id:7')]]],
  'user.id': [
    ['user.id:7', [{ event: { op: 'or', of: [tagged('user.id', '7').event, tagged('user', 'id:7').event] } }]],
  ],
  'user.email': [
    [
      'user.email:""',
      [
        {
          event: {
            op: 'not',
            of: { op: 'or', of: [tagged('user.email', '', 'has').event, tagged('user', 'email:*', 'like').event] },
          },
        },
      ],
    ],
  ],
  'user.username': [
    [
      'user.username:a*',
      [
        {
          event: {
            op: 'or',
            of: [tagged('user.username', 'a*', 'like').event, tagged('user', 'username:a*', 'like').event],
          },
        },
      ],
    ],
  ],
  'user.ip': [
    [
      'user.ip_address:::1',
      [{ event: { op: 'or', of: [tagged('user.ip', '::1').event, tagged('user', 'ip:::1').event] } }],
    ],
  ],
  'release.package': [
    ['release.package:web', [releases('web@1.2.0+7', 'web@1.10.0')]],
    ['release.package:shop', nothing, everything],
  ],
  'release.version': [
    ['release.version:>=1.2', [releases('web@1.2.0+7', 'web@1.10.0')]],
    ['release.version:>1.2.0', [releases('web@1.10.0')]],
    ['release.version:1.2.0', [releases('web@1.2.0+7')]],
    ['release.version:1.*', [releases('web@1.2.0+7', 'web@1.10.0')]],
    ['release.version:<1.5', [releases('web@1.2.0+7')]],
    ['release.version:nightly', [releases('nightly')]],
  ],
  'release.stage': [
    ['release.stage:adopted', [{ event: staged(1, 'web@2') }]],
    ['release.stage:LOW', [{ event: staged(2, 'web@2') }]],
    [
      'release.stage:[low, replaced]',
      [{ event: { op: 'or', of: [staged(2, 'web@2'), staged(1, 'web@1')] } }],
      [
        {
          event: {
            op: 'and',
            of: [not({ event: staged(2, 'web@2') }).event, not({ event: staged(1, 'web@1') }).event],
          },
        },
      ],
    ],
  ],
  'release.build': [['release.build:>=7', [releases('web@1.2.0+7')]]],
  'error.mechanism': [['error.mechanism:onerror', [tagged('mechanism', 'onerror')]]],
  'browser.version': [['browser.version:120.*', [tagged('browser', '* 120.*', 'like')]]],
  'os.version': [
    [
      'os.version:""',
      [
        {
          event: {
            op: 'not',
            of: { op: 'or', of: [tagged('os', '', 'has').event, tagged('client_os', '', 'has').event] },
          },
        },
      ],
    ],
    [
      'os.version:11',
      [{ event: { op: 'or', of: [tagged('os', '* 11', 'like').event, tagged('client_os', '* 11', 'like').event] } }],
    ],
  ],
}

const all = Object.values(cases).flat()

/** The kinds of sources of a key, for issues and for events. */
const kindsOf = ({ source, eventSource }: (typeof searchKeys)[number]) => [source.in, eventSource?.in ?? source.in]

test('every kind of source has a case', () => {
  const inCases = searchKeys.filter((key) => Object.hasOwn(cases, key.name))
  expect(inCases.map((key) => key.name).sort()).toEqual(Object.keys(cases).sort())
  expect(new Set(inCases.flatMap(kindsOf))).toEqual(new Set(searchKeys.flatMap(kindsOf)))
})

describe.each(all)('%s', (text, branches, negated) => {
  test(`${text} asks for it`, async () => {
    expect(await plan(text)).toEqual(branches)
  })

  test(`!${text} asks for the rest`, async () => {
    expect(await plan(`!${text}`)).toEqual(negated ?? branches.map(not))
    expect(await plan(`!(!${text})`)).toEqual(branches)
  })
})

test.each(states.map((state) => [state]))('is:%s and its negation never meet the same issues', async (state) => {
  const [yes, no] = [await plan(`is:${state}`), await plan(`!is:${state}`)]
  expect(yes).not.toEqual(no)
  expect(yes.length + no.length).toBeGreaterThan(0)
})

describe('has', () => {
  const field = (name: string) => ({ op: 'field', field: name, match: 'has', value: '' })
  test.each<[string, object[]]>([
    ['has:release', [{ event: field('release') }]],
    ['!has:release', [{ event: { op: 'not', of: field('release') } }]],
    [
      'has:assigned_or_suggested',
      [
        {
          issue: {
            op: 'or',
            of: [
              { op: 'assigned', userId: 'any' },
              {
                op: 'and',
                of: [
                  { op: 'assigned', userId: null },
                  { op: 'suggested', userId: 'any' },
                ],
              },
            ],
          },
        },
      ],
    ],
    ['has:trace_id', [{ event: field('trace_id') }]],
    ['has:assigned', [{ issue: { op: 'assigned', userId: 'any' } }]],
    ['has:title', [{ issue: { op: 'not', of: { op: 'field', field: 'title', match: 'is', value: '' } } }]],
    ['has:timesSeen', everything],
    ['!has:timesSeen', nothing],
    ['has:stack.module', [framed('module', '', 'has')]],
    ['has:stack.lineno', nothing],
    ['!has:detector', everything],
    ['has:release.stage', [everyStage]],
    ['!has:release.stage', [not(everyStage)]],
    ['detector:""', everything],
    ['!detector:""', nothing],
    ['release.stage:""', [not(everyStage)]],
    ['!release.stage:""', [everyStage]],
    ['!has:stack.in_app', [{ event: { op: 'not', of: framed('in_app', '', 'has').event } }]],
    ['tags[stack.module]:x', [tagged('stack.module', 'x')]],
    ['has:dist', [{ event: { op: 'tag', key: 'dist', match: 'has', value: '' } }]],
    ['has:url', [{ event: { op: 'tag', key: 'url', match: 'has', value: '' } }]],
    [
      'has:user.email',
      [
        {
          event: {
            op: 'or',
            of: [
              { op: 'tag', key: 'user.email', match: 'has', value: '' },
              { op: 'tag', key: 'user', match: 'like', value: 'email:*' },
            ],
          },
        },
      ],
    ],
    ['has:release.version', [{ event: field('release') }]],
    ['has:tags[release]', [{ event: { op: 'tag', key: 'release', match: 'has', value: '' } }]],
  ])('%s', async (text, branches) => {
    expect(await plan(text)).toEqual(branches)
  })
})

describe('tags', () => {
  const tag = (key: string, value: string, match = 'is') => ({ op: 'tag', key, match, value })
  test.each<[string, object]>([
    ['fruit:apple', tag('fruit', 'apple')],
    ['fruit:a*', tag('fruit', 'a*', 'like')],
    ['fruit:a\\*', tag('fruit', 'a*')],
    ['tags[level]:x', tag('level', 'x')],
    ['fruit:[a,b]', { op: 'or', of: [tag('fruit', 'a'), tag('fruit', 'b')] }],
    ['fruit:""', { op: 'not', of: tag('fruit', '', 'has') }],
    ['!fruit:""', { op: 'not', of: { op: 'not', of: tag('fruit', '', 'has') } }],
    ['user.email:a@b.test', { op: 'or', of: [tag('user.email', 'a@b.test'), tag('user', 'email:a@b.test')] }],
    ['user.ip:10.*', { op: 'or', of: [tag('user.ip', '10.*', 'like'), tag('user', 'ip:10.*', 'like')] }],
    ['constructor:x', tag('constructor', 'x')],
    ['tags[size,number]:>5', { op: 'tagNumber', key: 'size', compare: '>', value: 5 }],
    [
      'tags[size,number]:[1,2k]',
      { op: 'or', of: [1, 2000].map((value) => ({ op: 'tagNumber', key: 'size', compare: '=', value })) },
    ],
    ['fruit:\uf00dContains\uf00dpp', tag('fruit', '*pp*', 'like')],
    ['fruit:\uf00dStartsWith\uf00d"a p"', tag('fruit', 'a p*', 'like')],
    ['fruit:\uf00dEndsWith\uf00d[a*,b]', { op: 'or', of: [tag('fruit', '*a*', 'like'), tag('fruit', '*b', 'like')] }],
    ['file:"C:\\\\a \\* b"', tag('file', 'C:\\a * b')],
    ['file:C:\\Users*', tag('file', 'C:\\Users*', 'like')],
    [`fruit:"'; drop table events; --"`, tag('fruit', `'; drop table events; --`)],
  ])('%s', async (text, filter) => {
    expect(await plan(text)).toEqual([{ event: filter }])
  })
})

describe('joining', () => {
  test.each<[string, number]>([
    ['is:new level:error', 1],
    ['is:new fruit:a', 1],
    ['is:new OR level:error', 1],
    ['fruit:a OR tree:b', 1],
    ['is:new OR fruit:a', 2],
    ['(is:new OR fruit:a) (is:ongoing OR tree:b)', 4],
    ['(is:new fruit:a) OR (is:ongoing tree:b)', 2],
    ['is:new OR issue.category:error', 1],
    ['project:none OR is:new', 1],
    ['project:none is:new', 0],
  ])('%s costs %i', async (text, branches) => {
    expect(await plan(text)).toHaveLength(branches)
  })

  test('stretches of time narrow each other', async () => {
    expect(
      await plan('timestamp:>2026-01-01 timestamp:>2026-01-05 timestamp:<2026-02-01 timestamp:<2026-01-20'),
    ).toEqual([{ fromMs: Date.UTC(2026, 0, 5), toMs: Date.UTC(2026, 0, 20) }])
  })

  test('what holds for everything takes the rest of an OR with it', async () => {
    expect(await plan('is:new OR is:unlinked OR fruit:a')).toEqual(everything)
  })
})

test.each([
  ['Type*', ['title', 'culprit', 'errorType', 'errorValue']],
  ['*', ['title', 'culprit', 'errorType', 'errorValue']],
])('free text with a star, %s, looks at each text by itself', async (text, looked) => {
  const [branch] = await plan(text)
  if (branch?.issue?.op !== 'or') throw new Error('no choice')
  expect(branch.issue.of).toEqual(looked.map((field) => ({ op: 'field', field, match: 'like', value: `*${text}*` })))
})

describe('over events', () => {
  const over = async (text: string): Promise<Branch[]> =>
    (await planOf(parseSearch(text), { ...context, lists: 'events' })).branches
  test.each<[string, object[]]>([
    ['time out', [{ event: { op: 'and', of: [like('*time*'), like('*out*')] } }]],
    ['"100% \\* of"', [{ event: like('*100% \\* of*') }]],
    ['a*b', [{ event: like('*a*b*') }]],
    ['level:fatal', [event('level', 'fatal')]],
    ['stack.module:x', [framed('module', 'x')]],
    ['!stack.in_app:true', [{ event: { op: 'not', of: framed('in_app', 'true').event } }]],
    ['platform:node', [event('platform', 'node')]],
    ['error.type:TypeError', [event('type', 'TypeError')]],
    ['logger:db', [tagged('logger', 'db')]],
    ['has:level', [event('level', '', 'has')]],
    ['has:error.type', [event('type', '', 'has')]],
    ['has:logger', [tagged('logger', '', 'has')]],
    ['error.value:"a *"', [event('message', '*a **', 'like')]],
    ['error.value:a', [event('message', '*a*', 'like')]],
    ['error.value:""', [{ event: { op: 'not', of: { op: 'field', field: 'message', match: 'has', value: '' } } }]],
    ['has:title', [{ issue: { op: 'not', of: { op: 'field', field: 'title', match: 'is', value: '' } } }]],
    ['error.unhandled:true', [tagged('handled', 'no')]],
    ['error.handled:true', [tagged('handled', 'yes')]],
    ['title:x', [issue('title', 'x')]],
    ['is:resolved', [{ issue: { op: 'status', value: 'resolved' } }]],
    ['timestamp:-1h release:x', [{ fromMs: nowMs - hourMs, ...event('release', 'x') }]],
  ])('%s', async (text, branches) => {
    expect(await over(text)).toEqual(branches)
  })
})

function like(value: string) {
  return { op: 'field', field: 'message', match: 'like', value }
}
