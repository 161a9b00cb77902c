// 1,000 issue rules beside 300 events/s: what their evaluation costs, against the same load without rules.
import { setTimeout as pause } from 'node:timers/promises'
import { api, bootstrap, discard, type Product, type Project, ready, start, until } from '../e2e/product.ts'
import { realBodies, runLoad } from './load.ts'
import { cpuSecondsOf, type Row } from './measure.ts'

const rules = 1000
const eventsPerSecond = 300
const goalCores = 0.1

const json = (body: object) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

/** Rules as organizations have them: most for what is new, some with counts, people and rates over several windows. */
function ruleBody(at: number): object {
  const windowMinutes = [1, 5, 60, 60, 1440][at % 5] ?? 60
  const count = 10 + (at % 7) * 50
  const windows = [
    { type: 'events', count, windowMinutes },
    { type: 'users', count, windowMinutes },
    { type: 'rate', percent: 100 + at, windowMinutes, before: 'hour' },
  ]
  const when = at % 2 === 0 ? [{ type: 'new' }, { type: 'regression' }] : [windows[at % 3]]
  const filters = ['', 'level:error', 'is:unassigned', 'environment:production']
  return { name: `Rule ${at}`, issue: { when, filter: filters[at % 4] } }
}

async function createRules(product: Product, project: Project): Promise<void> {
  for (let at = 0; at < rules; at++) {
    const path = `/organizations/${project.org}/alerts/`
    const { status, json: answer } = await api(product, project, path, { method: 'POST', ...json(ruleBody(at)) })
    if (status !== 201) throw new Error(`no rule: ${status} ${JSON.stringify(answer)}`)
  }
}

/** Cores of all processes under the load, for so many seconds. */
async function coresUnder(product: Product, project: Project, seconds: number): Promise<number> {
  const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
  const load = { port: product.port, path, bodies: realBodies().mix, connections: 4, rate: eventsPerSecond }
  await runLoad(load, 5)
  const pid = product.child.pid ?? 0
  const before = cpuSecondsOf(pid)
  const beganMs = performance.now()
  await runLoad(load, seconds)
  return (cpuSecondsOf(pid) - before) / ((performance.now() - beganMs) / 1000)
}

/** Measures the load without rules, then with them, each for `seconds`. */
export async function benchAlertRules(seconds: number): Promise<Row[]> {
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  try {
    const project = bootstrap(product, 'bench', 'web')
    await ready(product)
    // By then V8 has compiled what is hot, so the second measurement is not cheaper by that alone.
    await coresUnder(product, project, seconds / 2)
    const without = await coresUnder(product, project, seconds)
    await createRules(product, project)
    await pause(5000)
    const beside = await coresUnder(product, project, seconds)
    await until('every window to be evaluated', 120_000, async () => {
      const { json: found } = await api(product, project, `/organizations/${project.org}/alerts/?query=Rule 1`)
      return (found as { state: { evaluatedTo: string | null } }[]).some(({ state }) => state.evaluatedTo !== null)
    })
    const cores = beside - without
    return [
      {
        what: `${rules} issue rules beside ${eventsPerSecond} events/s: cores that they take`,
        goal: `${goalCores}`,
        result: `${cores.toFixed(3)} (${without.toFixed(3)} without rules, ${beside.toFixed(3)} with them)`,
        met: cores < goalCores,
      },
    ]
  } finally {
    await discard(product)
  }
}
