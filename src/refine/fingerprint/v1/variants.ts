import type { GroupingVariant, NormalEvent, NormalException } from '../../../domain/event.ts'
import { contributing, type GroupingHint, type GroupingNode } from '../../../domain/grouping.ts'
import { cspDetails } from '../../kinds/security/security.ts'
import { object, own, scalar } from '../../pipeline/value.ts'
import { type Chain, chainOf } from '../chain.ts'
import type { AnnotationsByStack } from '../stack-rules.ts'
import { type StackNodes, stackNodes } from './frame.ts'
import { parameterize, parameterizedMessage } from './parameterize.ts'

/** A variant before hashing. `component`: the tree, whose contributing texts are the values. */
export type UnhashedVariant = {
  name: GroupingVariant['name']
  contributes: boolean
  why: string
  hint?: GroupingHint
  component: GroupingNode
}

/** The texts of a variant that are hashed, or would be hashed if it contributed. */
export const valuesOf = ({ component }: UnhashedVariant): string[] => contributing({ ...component, contributes: true })

const branch = (id: GroupingNode['id'], values: GroupingNode['values'], hint?: GroupingHint): GroupingNode =>
  hint === undefined ? { id, contributes: true, values } : { id, contributes: true, hint, values }
const ignoredNode = (id: GroupingNode['id'], values: GroupingNode['values'], hint: GroupingHint): GroupingNode => ({
  id,
  contributes: false,
  hint,
  values,
})

/** The default grouping (docs/grouping.md): the first strategy that contributes. The others show why they do not. */
export function defaultVariants(event: NormalEvent, annotations: AnnotationsByStack): UnhashedVariant[] {
  const message = messageVariant(event)
  const stacked =
    exceptionVariants(event, annotations) ??
    threadVariants(event, annotations) ??
    stackVariants(
      event.stacktrace && stackNodes(event.stacktrace, event.platform, annotations.get(event.stacktrace)),
      'stack trace',
    )
  const excluded = (why: string): UnhashedVariant => ({ ...message, contributes: false, why, hint: 'exception-first' })
  if (stacked)
    return message.contributes ? [...stacked, excluded('message: the stack or exception takes precedence')] : stacked
  const special = templateVariant(event) ?? securityVariant(event)
  if (special) return message.contributes ? [special, excluded(`message: ${special.why} takes precedence`)] : [special]
  if (message.contributes) return [message]
  const why = 'nothing to group by: all such events are one issue'
  return [{ name: 'default', contributes: true, why, component: branch('nothing', []) }]
}

/** Caches parameterized values: both variants need each value, and chained exceptions often repeat it. */
type Parameterizer = (value: string) => string

/** Both trees of each exception, made on demand. */
function nodesOf(event: NormalEvent, annotations: AnnotationsByStack): (exception: NormalException) => StackNodes {
  const texts = new Map<string, string>()
  const parameterized: Parameterizer = (value) => {
    const cached = texts.get(value) ?? parameterize(value)
    texts.set(value, cached)
    return cached
  }
  const nodesByException = new Map<NormalException, StackNodes>()
  return (exception) => {
    const cached =
      nodesByException.get(exception) ?? exceptionNodes(exception, event.platform, annotations, parameterized)
    nodesByException.set(exception, cached)
    return cached
  }
}

/** The exceptions that count. Two count as one if all their frames and texts are equal. */
function countedOf(event: NormalEvent, nodes: (exception: NormalException) => StackNodes): Chain | undefined {
  const text = (exception: NormalException) => contributing(nodes(exception).system).join('\n')
  return chainOf(event.exception?.values ?? [], event.sdk, (a, b) => text(a) === text(b))
}

/** The main exception of an event, by the same comparison that selects the grouping exceptions. */
export const mainOf = (event: NormalEvent, annotations: AnnotationsByStack): NormalException | undefined =>
  countedOf(event, nodesOf(event, annotations))?.main

function exceptionVariants(event: NormalEvent, annotations: AnnotationsByStack): UnhashedVariant[] | undefined {
  const values = event.exception?.values ?? []
  const nodes = nodesOf(event, annotations)
  const chain = countedOf(event, nodes)
  if (!chain) return undefined
  const counted = new Set(chain.list)
  const variant = (name: 'app' | 'system'): GroupingNode => {
    const [first] = chain.list
    if (values.length === 1 && first) return nodes(first)[name]
    const all = values.map((exception) => {
      const node = nodes(exception)[name]
      return counted.has(exception) ? node : ignoredNode(node.id, node.values, 'wrapper')
    })
    return branch('chained-exception', all)
  }
  return pair(variant('app'), variant('system'), chain.list.length > 1 ? 'exceptions of the chain' : 'exception')
}

/** Type, else value if no stack contributes, then the stack. */
function exceptionNodes(
  exception: NormalException,
  platform: string,
  annotations: AnnotationsByStack,
  parameterized: Parameterizer,
): StackNodes {
  const stacks = stackNodes(
    exception.stacktrace,
    platform,
    exception.stacktrace && annotations.get(exception.stacktrace),
  )
  return {
    app: exceptionNode(exception, stacks.app, parameterized),
    system: exceptionNode(exception, stacks.system, parameterized),
  }
}

function exceptionNode(exception: NormalException, stack: GroupingNode, parameterized: Parameterizer): GroupingNode {
  const values: GroupingNode[] = []
  const nsError = object(exception.mechanism?.meta?.['ns_error'])
  const codes = nsError ? [own(nsError, 'domain'), own(nsError, 'code')].flatMap((value) => scalar(value) ?? []) : []
  // A synthetic exception without stack and value has only its type.
  const isBare = !nsError && !exception.value && !stack.contributes
  if (exception.type)
    values.push(
      exception.mechanism?.synthetic && !isBare && !(codes.length === 0 && nsError && !stack.contributes)
        ? ignoredNode('type', [exception.type], 'synthetic-type')
        : branch('type', [exception.type]),
    )
  if (exception.value) {
    // Nearly all exceptions have a stack, so the value is parameterized only if it contributes.
    if (nsError) values.push(ignoredNode('value', [exception.value], 'ns-error-first'))
    else if (stack.contributes) values.push(ignoredNode('value', [exception.value], 'stack-first'))
    else {
      const text = parameterized(exception.value)
      values.push(branch('value', [text], text === exception.value ? undefined : 'parameterized'))
    }
  }
  if (nsError) values.push(branch('ns-error', codes))
  if (exception.stacktrace) values.push(stack)
  return branch('exception', values)
}

function threadVariants(event: NormalEvent, annotations: AnnotationsByStack): UnhashedVariant[] | undefined {
  const threads = event.threads?.values ?? []
  const only = <T>(list: T[]): T | undefined => (list.length === 1 ? list[0] : undefined)
  const chosen =
    only(threads.filter((thread) => thread.crashed)) ??
    only(threads.filter((thread) => thread.current)) ??
    only(threads)
  const trace = chosen?.stacktrace
  if (!trace) return undefined
  const nodes = stackNodes(trace, event.platform, annotations.get(trace))
  const within = { app: branch('threads', [nodes.app]), system: branch('threads', [nodes.system]) }
  return stackVariants(within, 'stack of the thread')
}

const stackVariants = (nodes: StackNodes | undefined, what: string): UnhashedVariant[] | undefined =>
  nodes && pair(nodes.app, nodes.system, what)

/** Whether a stack contributes. */
const hasStack = (node: GroupingNode): boolean =>
  node.contributes &&
  (node.id === 'stacktrace' || node.values.some((entry) => typeof entry !== 'string' && hasStack(entry)))

/** The app and system variants. Without an app stack, only system counts. Equal variants count once. */
function pair(app: GroupingNode, system: GroupingNode, what: string): UnhashedVariant[] | undefined {
  const [appValues, systemValues] = [contributing(app), contributing(system)]
  if (appValues.length === 0 && systemValues.length === 0) return undefined
  const same = appValues.length === systemValues.length && appValues.every((value, i) => value === systemValues[i])
  const [appStack, systemStack] = [hasStack(app), hasStack(system)]
  const appCounts = appStack || !systemStack
  const systemCounts = systemStack && !(same && appCounts)
  const appWhy = appStack ? 'frames of your own code' : 'no stack that counts'
  const systemWhy = systemCounts ? 'all frames' : systemStack ? 'the same as app' : 'no stack that counts'
  return [
    {
      name: 'app',
      contributes: appCounts,
      why: `${what}: ${appCounts ? appWhy : 'no frame of your own code; all frames are used'}`,
      ...(appCounts ? {} : { hint: 'other-variant-first' }),
      component: app,
    },
    {
      name: 'system',
      contributes: systemCounts,
      why: `${what}: ${systemWhy}`,
      ...(systemCounts ? {} : { hint: systemStack ? 'same-as-app' : 'no-stack' }),
      component: system,
    },
  ]
}

const newVariant = (why: string, id: GroupingNode['id'], values: string[], hint?: GroupingHint): UnhashedVariant => ({
  name: 'default',
  contributes: true,
  why,
  component: branch(id, values, hint),
})

function templateVariant(event: NormalEvent): UnhashedVariant | undefined {
  const name = event.template && (scalar(own(event.template, 'filename')) ?? scalar(own(event.template, 'abs_path')))
  const line = event.template && scalar(own(event.template, 'context_line'))
  const values = [name, line?.trim()].filter((entry): entry is string => Boolean(entry))
  return values.length ? newVariant('template', 'template', values) : undefined
}

const salts: ReadonlyMap<string, string> = new Map([
  ['hpkp', 'hpkp'],
  ['expectct', 'expect-ct'],
  ['expectstaple', 'expect-staple'],
])

function securityVariant(event: NormalEvent): UnhashedVariant | undefined {
  const report = event.csp
  if (!report) return undefined
  if (event.type === 'csp') {
    const details = cspDetails(report)
    const values = [details.directive, details.local ? `'${details.local}'` : details.blocked]
    return newVariant('directive and what it blocked', 'csp', values)
  }
  return newVariant('kind of report and host', 'csp', [
    salts.get(event.type) ?? event.type,
    scalar(report['hostname']) ?? '',
  ])
}

/** The message of an event as a variant, contributing or not. */
export function messageVariant(event: Pick<NormalEvent, 'logentry'>): UnhashedVariant {
  const source = event.logentry?.message ?? event.logentry?.formatted ?? ''
  const text = parameterizedMessage(source)
  const variant = newVariant(
    event.logentry?.message ? 'message: template' : 'message',
    'message',
    text ? [text] : [],
    text === source ? undefined : 'parameterized',
  )
  return { ...variant, contributes: text !== '' }
}
