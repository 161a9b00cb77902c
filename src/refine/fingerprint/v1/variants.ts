import type { GroupingVariant, NormalEvent, NormalException, NormalStacktrace } from '../../../protocol/event.ts'
import { cspFacts } from '../../security/security.ts'
import { object, own, scalar } from '../../value.ts'
import { chainOf } from '../chain.ts'
import { stackValues } from './frame.ts'
import { parameterize, parameterizedMessage } from './parameterize.ts'

/** A variant before its hash is made. */
export type Plain = Omit<GroupingVariant, 'hash'>

/** Values and whether a stack is among them. */
type Part = { values: string[]; stack: boolean }

/** The default grouping (protocol.md 4.1): the first strategy that contributes, with what the others would have been left out. */
export function defaultVariants(event: NormalEvent): Plain[] {
  const message = messageVariant(event)
  const stacked =
    exceptionVariants(event) ?? threadVariants(event) ?? stackVariants(event.stacktrace, event.platform, 'stack trace')
  if (stacked)
    return message.contributes
      ? [...stacked, { ...message, contributes: false, why: 'message: the stack or exception takes precedence' }]
      : stacked
  const special = templateVariant(event) ?? securityVariant(event)
  if (special)
    return message.contributes
      ? [special, { ...message, contributes: false, why: `message: ${special.why} takes precedence` }]
      : [special]
  if (message.contributes) return [message]
  return [{ name: 'default', contributes: true, why: 'nothing to group by: all such events are one issue', values: [] }]
}

function exceptionVariants(event: NormalEvent): Plain[] | undefined {
  const values = event.exception?.values ?? []
  const text = (one: NormalException) => exceptionParts(one, event.platform).system.values.join('\n')
  const chain = chainOf(values, event.sdk?.name ?? '', (a, b) => text(a) === text(b))
  if (!chain) return undefined
  const app: Part = { values: [], stack: false }
  const system: Part = { values: [], stack: false }
  for (const one of chain.list) {
    const parts = exceptionParts(one, event.platform)
    app.values.push(...parts.app.values)
    system.values.push(...parts.system.values)
    app.stack ||= parts.app.stack
    system.stack ||= parts.system.stack
  }
  return pair(app, system, chain.list.length > 1 ? 'exceptions of the chain' : 'exception')
}

/** Type, else value where no stack counts, then the stack. */
function exceptionParts(one: NormalException, platform: string): { app: Part; system: Part } {
  const stack = stackValues(one.stacktrace, platform)
  return { app: exceptionPart(one, stack.app), system: exceptionPart(one, stack.system) }
}

function exceptionPart(one: NormalException, stack: string[]): Part {
  const values: string[] = []
  if (one.type && !one.mechanism?.synthetic) values.push(one.type)
  const nsError = object(one.mechanism?.meta?.['ns_error'])
  if (nsError) values.push(...[own(nsError, 'domain'), own(nsError, 'code')].flatMap((value) => scalar(value) ?? []))
  else if (!stack.length && one.value) values.push(parameterize(one.value))
  // A synthetic exception without stack and value: its type is all there is.
  if (!values.length && !stack.length && one.type) values.push(one.type)
  return { values: [...values, ...stack], stack: stack.length > 0 }
}

function threadVariants(event: NormalEvent): Plain[] | undefined {
  const threads = event.threads?.values ?? []
  const only = <T>(list: T[]): T | undefined => (list.length === 1 ? list[0] : undefined)
  const chosen =
    only(threads.filter((one) => one.crashed)) ?? only(threads.filter((one) => one.current)) ?? only(threads)
  return stackVariants(chosen?.stacktrace, event.platform, 'stack of the thread')
}

function stackVariants(stacktrace: NormalStacktrace | undefined, platform: string, what: string): Plain[] | undefined {
  if (!stacktrace) return undefined
  const { app, system } = stackValues(stacktrace, platform)
  return pair({ values: app, stack: app.length > 0 }, { values: system, stack: system.length > 0 }, what)
}

/** App and system as two variants: without a stack in app, system alone; equal ones count once. */
function pair(app: Part | undefined, system: Part | undefined, what: string): Plain[] | undefined {
  if (!app || !system || (!app.values.length && !system.values.length)) return undefined
  const same = app.values.length === system.values.length && app.values.every((value, i) => value === system.values[i])
  const appCounts = app.stack || !system.stack
  const why = (counts: boolean, good: string, bad: string) => `${what}: ${counts ? good : bad}`
  const appWhy = app.stack ? 'frames of your own code' : 'no stack that counts'
  return [
    {
      name: 'app',
      contributes: appCounts,
      why: why(appCounts, appWhy, 'no frame of your own code; all frames are used'),
      values: app.values,
    },
    {
      name: 'system',
      contributes: system.stack && !(same && appCounts),
      why: why(
        system.stack && !(same && appCounts),
        'all frames',
        system.stack ? 'the same as app' : 'no stack that counts',
      ),
      values: system.values,
    },
  ]
}

function templateVariant(event: NormalEvent): Plain | undefined {
  const name = event.template && (scalar(own(event.template, 'filename')) ?? scalar(own(event.template, 'abs_path')))
  const line = event.template && scalar(own(event.template, 'context_line'))
  const values = [name, line?.trim()].filter((one): one is string => Boolean(one))
  return values.length ? { name: 'default', contributes: true, why: 'template', values } : undefined
}

function securityVariant(event: NormalEvent): Plain | undefined {
  const report = event.csp
  if (!report) return undefined
  if (event.type === 'csp') {
    const facts = cspFacts(report)
    return {
      name: 'default',
      contributes: true,
      why: 'directive and what it blocked',
      values: [facts.directive, facts.local ? `'${facts.local}'` : facts.blocked],
    }
  }
  const salts: ReadonlyMap<string, string> = new Map([
    ['hpkp', 'hpkp'],
    ['expectct', 'expect-ct'],
    ['expectstaple', 'expect-staple'],
  ])
  return {
    name: 'default',
    contributes: true,
    why: 'kind of report and host',
    values: [salts.get(event.type) ?? event.type, scalar(report['hostname']) ?? ''],
  }
}

function messageVariant(event: NormalEvent): Plain {
  const source = event.logentry?.message ?? event.logentry?.formatted ?? ''
  const text = parameterizedMessage(source)
  return {
    name: 'default',
    contributes: text !== '',
    why: event.logentry?.message ? 'message: template' : 'message',
    values: text ? [text] : [],
  }
}
