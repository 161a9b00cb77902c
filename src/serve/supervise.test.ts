import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { type Child, type ChildOptions, supervise } from './supervise.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-supervise-'))
const open: Child[] = []
afterEach(async () => {
  for (const child of open.splice(0)) await child.stop(500)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A child program that reports 'up', then runs `text`. */
function script(name: string, text: string): string {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, `process.on('disconnect', () => process.exit(0))\n${text}\n`)
  return file
}

/** The system clock with short delays. `asked` records the requested delays. */
function hurried(asked: number[], lifeMs = 0): Clock {
  let nowMs = systemClock.now()
  return {
    ...systemClock,
    now: () => (nowMs += lifeMs),
    after: (ms, run) => {
      asked.push(ms)
      return systemClock.after(Math.min(ms, 5), run)
    },
  }
}

function keep(file: string, change: Partial<ChildOptions> = {}) {
  const messages: unknown[] = []
  const changes: boolean[] = []
  const child = supervise({
    name: 'test',
    file,
    words: ['one', 'two'],
    env: { GREETING: 'hello' },
    clock: systemClock,
    observe: silent,
    message: (message) => void messages.push(message),
    changed: (up) => void changes.push(up),
    ...change,
  })
  open.push(child)
  return { child, messages, changes }
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (holds()) return
    await systemClock.sleep(10)
  }
  throw new Error(`never: ${what}`)
}

test('words, environment and messages reach the child, its answers come back', async () => {
  const file = script(
    'echo',
    `process.on('message', (message) => process.send({ got: message, words: process.argv.slice(2), env: process.env.GREETING }))
     process.send('up')`,
  )
  const { child, messages, changes } = keep(file)
  await until(() => child.up(), 'up')
  expect(child.send({ number: 7n, bytes: new Uint8Array([1, 2]) })).toBe(true)
  await until(() => messages.length === 2, 'an answer')
  expect(messages).toEqual([
    'up',
    { got: { number: 7n, bytes: new Uint8Array([1, 2]) }, words: ['one', 'two'], env: 'hello' },
  ])
  expect(changes).toEqual([true])
})

test.each([
  ['the word', `process.send('up')`, true],
  ['a message of kind up', `process.send({ kind: 'up', setupSecret: undefined })`, true],
  ['another message', `process.send({ kind: 'keys' })`, false],
])('%s counts as up: %#', async (name, text, up) => {
  const { child, messages } = keep(script(name.replaceAll(' ', '-'), `${text}\nsetInterval(() => undefined, 1000)`))
  await until(() => messages.length === 1, 'a message')
  expect(child.up()).toBe(up)
})

test('a child that keeps ending is started again after growing pauses', async () => {
  const asked: number[] = []
  const { changes } = keep(script('dies', `process.send('up', () => process.exit(3))`), { clock: hurried(asked) })
  await until(() => asked.length >= 7, 'seven ends')
  expect(asked.slice(0, 7)).toEqual([50, 200, 500, 1000, 2000, 5000, 5000])
  expect(changes.slice(0, 4)).toEqual([true, false, true, false])
})

test('one that lived for more than a minute is back at once', async () => {
  const asked: number[] = []
  keep(script('lives', `process.exit(0)`), { clock: hurried(asked, 60_001) })
  await until(() => asked.length >= 3, 'three ends')
  expect(asked.slice(0, 3)).toEqual([50, 50, 50])
})

test('a child stands back for the process that accepts', async () => {
  const { child, changes } = keep(script('nice', `process.send('up')`))
  await until(() => changes.length > 0, 'up')
  expect(getPriority(child.pid() ?? 0)).toBe(getPriority() + 10)
})

test('killed from outside, another process takes its place', async () => {
  const { child } = keep(script('stays', `process.send('up')\nsetInterval(() => undefined, 1000)`), {
    clock: hurried([]),
  })
  await until(() => child.up(), 'up')
  const first = child.pid()
  if (first === undefined) throw new Error('no pid')
  process.kill(first, 'SIGKILL')
  await until(() => child.up() && child.pid() !== first, 'another process')
  expect(child.send({})).toBe(true)
})

test('stop ends it for good, and nothing can be sent after that', async () => {
  const asked: number[] = []
  const { child, changes } = keep(script('ends', `process.send('up')\nsetInterval(() => undefined, 1000)`), {
    clock: hurried(asked),
  })
  await until(() => child.up(), 'up')
  await child.stop(2000)
  expect([child.up(), child.send({}), changes]).toEqual([false, false, [true, false]])
  await systemClock.sleep(50)
  // The only timer is the one of stop: no restart was scheduled.
  expect(asked).toEqual([2000])
  await child.stop(2000)
})

test('one that will not end is killed when its time is over', async () => {
  const { child } = keep(
    script('deaf', `process.on('SIGTERM', () => undefined)\nprocess.send('up')\nsetInterval(() => undefined, 1000)`),
  )
  await until(() => child.up(), 'up')
  const pid = child.pid() ?? 0
  const startMs = systemClock.now()
  await child.stop(150)
  const tookMs = systemClock.now() - startMs
  expect(tookMs).toBeGreaterThanOrEqual(140)
  expect(tookMs).toBeLessThan(2000)
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

/** A clock whose intervals run when the test calls them. */
function stepped() {
  const ticks: (() => void)[] = []
  const every: Clock['every'] = (_ms, run) => {
    ticks.push(run)
    return () => void ticks.splice(0)
  }
  const clock: Clock = { ...systemClock, every }
  return { clock, ticks, tick: (times: number) => Array.from({ length: times }, () => ticks[0]?.()) }
}

describe('a child that is asked whether it lives', () => {
  const stays = `process.send('up')\nsetInterval(() => undefined, 1000)`

  test('is away while it does not answer, and back when it does', async () => {
    const { clock, tick } = stepped()
    const answers = { now: true }
    const { child, changes } = keep(script('answers', stays), { clock, alive: async () => answers.now })
    tick(20) // not queried before it is up
    await until(() => child.up(), 'up')
    answers.now = false
    tick(2)
    expect(child.up()).toBe(true)
    tick(1)
    expect(child.up()).toBe(false)
    answers.now = true
    tick(1)
    await until(() => child.up(), 'back')
    expect(changes).toEqual([true, false, true])
  })

  test('is asked at each third time while it answers, and each time while it does not', async () => {
    const { clock, tick } = stepped()
    const answers = { now: true, asked: 0 }
    const alive = async () => {
      answers.asked++
      return answers.now
    }
    const { child } = keep(script('seldom', stays), { clock, alive })
    await until(() => child.up(), 'up')
    const asked: number[] = []
    for (let n = 0; n < 9; n++) {
      if (n === 5) answers.now = false
      tick(1)
      await new Promise((resolve) => setImmediate(resolve))
      asked.push(answers.asked)
    }
    expect(asked).toEqual([1, 1, 1, 2, 2, 2, 3, 4, 5])
    expect(child.up()).toBe(false)
  })

  test('is killed and started again when it hangs: SIGSTOP leaves it everything but the answer', async () => {
    const { clock, tick } = stepped()
    const { child, changes } = keep(script('hangs', stays), { clock, alive: () => new Promise(() => undefined) })
    await until(() => child.up(), 'up')
    const first = child.pid() ?? 0
    process.kill(first, 'SIGSTOP')
    tick(14)
    expect([child.pid(), child.up()]).toEqual([first, false])
    tick(1)
    await until(() => child.up() && child.pid() !== first, 'another process')
    expect(() => process.kill(first, 0)).toThrow('ESRCH')
    expect(changes).toEqual([true, false, true])
  })

  test('an answer of the one before says nothing of the one that runs now', async () => {
    const { clock, tick } = stepped()
    const late = Promise.withResolvers<boolean>()
    const { child } = keep(script('late', stays), { clock, alive: () => late.promise })
    await until(() => child.up(), 'up')
    const first = child.pid() ?? 0
    tick(15)
    await until(() => child.up() && child.pid() !== first, 'another process')
    tick(3)
    expect(child.up()).toBe(false)
    late.resolve(true) // resolves all queries: those to the first child do not count, those to this one do
    await until(() => child.up(), 'back')
  })

  test('is asked no more once it is stopped', async () => {
    const { clock, ticks } = stepped()
    const { child } = keep(script('quiet', stays), { clock, alive: async () => true })
    await until(() => child.up(), 'up')
    await child.stop(500)
    expect(ticks).toEqual([])
  })
})

test('lines on its standard output become log lines', async () => {
  const lines: unknown[] = []
  const observe = { ...silent, info: (fields: Record<string, unknown>) => void lines.push(fields) }
  const { child } = keep(script('talks', `console.log(' ✓ Running\\n\\n{"a":1}')\nprocess.send('up')`), {
    observe,
    wrapsOutput: true,
  })
  await until(() => child.up() && lines.length === 2, 'two lines')
  expect(lines).toEqual([
    { child: 'test', line: ' ✓ Running' },
    { child: 'test', line: '{"a":1}' },
  ])
})
