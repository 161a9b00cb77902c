import type { NormalEvent, NormalException, NormalFrame, NormalStacktrace } from '../../domain/event.ts'
import { readStackRules, type StackAction, type StackMatcher, type StackRule } from '../../domain/stack-rules.ts'
import { familyOf, namesFamily } from './families.ts'
import { glob, type PathText, pathGlob, pathTextOf } from './glob.ts'

/** The annotation of one frame. `rule`: the rule that decided whether it groups. */
type FrameAnnotation = { group?: boolean; rule?: string }
/** The annotations of a stack, by frame. */
export type StackAnnotations = {
  frames: (FrameAnnotation | undefined)[]
  maxFrames: number
  minFrames: number
  inverted: boolean
}
/** The annotations by stack. Stacks without a matching rule are absent. */
export type AnnotationsByStack = Map<NormalStacktrace, StackAnnotations>

/** `path`, `package`: in the form for patterns, computed on first use. */
type FrameState = {
  frame: NormalFrame
  platform: string
  category: string | undefined
  path?: PathText
  package?: PathText
}
type Test = (state: FrameState, exception: NormalException | undefined) => boolean

/** Compiled rules. */
export type CompiledStackRules = {
  matches: Test
  caller: Test | undefined
  callee: Test | undefined
  actions: StackAction[]
  text: string
}[]

function pathOf(state: FrameState, key: 'path' | 'package'): PathText | undefined {
  const cached = state[key]
  if (cached) return cached
  const { frame } = state
  const sent = key === 'path' ? (frame.abs_path ?? frame.filename) : frame.package
  if (sent === undefined) return undefined
  const pathText = pathTextOf(sent)
  state[key] = pathText
  return pathText
}

function readOf(
  key: Exclude<StackMatcher['key'], 'path' | 'package' | 'family' | 'app'>,
): (state: FrameState, exception: NormalException | undefined) => string | undefined {
  switch (key) {
    case 'module':
      return ({ frame }) => frame.module
    case 'function':
      return ({ frame }) => frame.function
    case 'category':
      return ({ category }) => category
    case 'type':
      return (_, exception) => exception?.type
    case 'value':
      return (_, exception) => exception?.value
    default:
      return (_, exception) => exception?.mechanism?.type
  }
}

function testOf({ key, pattern, negated }: StackMatcher): Test {
  if (key === 'family') return ({ platform }) => namesFamily(pattern, familyOf(platform)) !== negated
  if (key === 'app') return ({ frame }) => (frame.in_app === (pattern === 'yes')) !== negated
  if (key === 'path' || key === 'package') {
    const matches = pathGlob(pattern)
    return (state) => {
      const path = pathOf(state, key)
      return (path !== undefined && matches(path)) !== negated
    }
  }
  const read = readOf(key)
  const matches = glob(pattern)
  return (state, exception) => {
    const text = read(state, exception)
    return (text !== undefined && matches(text)) !== negated
  }
}

function allOf(matchers: readonly StackMatcher[]): Test {
  // Cheap tests run first.
  const tests = matchers.toSorted((a, b) => Number(isCheap(b)) - Number(isCheap(a))).map(testOf)
  return (state, exception) => tests.every((test) => test(state, exception))
}
const isCheap = ({ key }: StackMatcher) => key === 'family' || key === 'app'

/** Compiles rules. Skips rules with errors. */
export function compileStackRules(text: string): CompiledStackRules {
  return readStackRules(text).rules.map(({ matchers, caller, callee, actions, text: written }: StackRule) => ({
    matches: allOf(matchers),
    caller: caller && allOf(caller),
    callee: callee && allOf(callee),
    actions,
    text: written,
  }))
}

type RuleRun = { states: FrameState[]; annotations: StackAnnotations; isAnnotated: boolean }

/** The frames that an action affects: the matching frame, or all on one side of it. The newest frame is last. */
function affectedRange(states: readonly FrameState[], at: number, range: 'up' | 'down' | undefined): [number, number] {
  if (range === undefined) return [at, at + 1]
  return range === 'up' ? [at + 1, states.length] : [0, at]
}

function applyAction(run: RuleRun, at: number, action: StackAction, rule: string): void {
  const { states, annotations } = run
  if ('flag' in action) {
    const [from, to] = affectedRange(states, at, action.range)
    for (let i = from; i < to; i++) {
      const frame = states[i]?.frame
      if (!frame) continue
      if (action.kind === 'app') {
        if (frame.in_app === action.flag) continue
        frame.in_app_before ??= frame.in_app
        frame.in_app = action.flag
      } else annotations.frames[i] = { group: action.flag, rule }
    }
    run.isAnnotated ||= action.kind === 'group'
    return
  }
  if (action.kind === 'category') {
    const state = states[at]
    if (state) state.category = action.value
    return
  }
  run.isAnnotated = true
  if (action.kind === 'max-frames') annotations.maxFrames = action.value
  else if (action.kind === 'min-frames') annotations.minFrames = action.value
  else if (action.kind === 'invert-stacktrace') annotations.inverted = action.value
}

function applyTo(
  rules: CompiledStackRules,
  stacktrace: NormalStacktrace,
  exception: NormalException | undefined,
  eventPlatform: string,
): StackAnnotations | undefined {
  const run: RuleRun = {
    states: stacktrace.frames.map((frame) => ({
      frame,
      platform: frame.platform ?? eventPlatform,
      category: undefined,
    })),
    annotations: { frames: [], maxFrames: 0, minFrames: 0, inverted: false },
    isAnnotated: false,
  }
  const { states } = run
  for (const { matches, caller, callee, actions, text } of rules) {
    for (const [at, state] of states.entries()) {
      if (!matches(state, exception)) continue
      const [before, behind] = [states[at - 1], states[at + 1]]
      if (caller && !(before && caller(before, exception))) continue
      if (callee && !(behind && callee(behind, exception))) continue
      for (const action of actions) applyAction(run, at, action, text)
    }
  }
  return run.isAnnotated ? run.annotations : undefined
}

/**
 * Applies rules to every stack of an event, first to last. Changes in_app in place (`in_app_before` keeps the old
 * value) and returns the annotations for grouping. Runs in time linear in frames and their texts.
 */
export function applyStackRules(rules: CompiledStackRules, event: NormalEvent): AnnotationsByStack {
  const annotations: AnnotationsByStack = new Map()
  if (rules.length === 0) return annotations
  const applyToStack = (stacktrace: NormalStacktrace | undefined, exception?: NormalException) => {
    const found = stacktrace && applyTo(rules, stacktrace, exception, event.platform)
    if (stacktrace && found) annotations.set(stacktrace, found)
  }
  for (const entry of event.exception?.values ?? []) applyToStack(entry.stacktrace, entry)
  for (const thread of event.threads?.values ?? []) applyToStack(thread.stacktrace)
  applyToStack(event.stacktrace)
  return annotations
}

/** Restores every frame's in_app to its value before the rules. */
export function withoutStackRules(event: NormalEvent): void {
  const bare = (stacktrace: NormalStacktrace | undefined) => {
    for (const frame of stacktrace?.frames ?? []) {
      if (frame.in_app_before === undefined) continue
      frame.in_app = frame.in_app_before
      delete frame.in_app_before
    }
  }
  for (const exception of event.exception?.values ?? []) bare(exception.stacktrace)
  for (const thread of event.threads?.values ?? []) bare(thread.stacktrace)
  bare(event.stacktrace)
}
