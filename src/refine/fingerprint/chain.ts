import type { NormalEvent, NormalException } from '../../domain/event.ts'

/** The exceptions that group an event, oldest first, and the main exception, which names it. */
export type Chain = { list: NormalException[]; main: NormalException }

const reactRecovered =
  /^There was an error (?:during concurrent rendering but React was able to recover by instead synchronously rendering the entire root|while hydrating but React was able to recover by instead client rendering)/

/** The exceptions that count (docs/grouping.md). `values` is not empty. */
export function chainOf(
  values: NormalException[],
  sdk: NormalEvent['sdk'],
  sameHash: (a: NormalException, b: NormalException) => boolean,
): Chain | undefined {
  const newest = values.at(-1)
  if (!newest) return undefined
  const cause = causeOfWrapper(values)
  const tree = isPython3(sdk) ? undefined : treeOf(values)
  const root = tree?.root
  if (!tree || !root) return { list: values, main: cause ?? newest }
  const top = tree.topLevel(root)
  const distinct = top.filter((entry, i) => i === 0 || !sameHash(entry, top[i - 1] ?? entry))
  const only = distinct[0]
  if (!only) return { list: values, main: newest }
  const chosen = new Set(distinct.length === 1 ? tree.firstPath(only) : [...distinct, root])
  return { list: values.filter((exception) => chosen.has(exception)), main: distinct.length === 1 ? only : root }
}

/**
 * The exception whose frames the variables of a fingerprint use, mostly the newest. Two with equal type and value count
 * as one here, because version 1 was frozen so. Titles and culprits also compare frames (main.ts).
 */
export function frozenMain({ exception, sdk }: NormalEvent): NormalException | undefined {
  return chainOf(exception?.values ?? [], sdk, (a, b) => a.type === b.type && a.value === b.value)?.main
}

/** Version 3 of the Python SDK numbers the exceptions of a list in a way that forms no tree. */
const isPython3 = (sdk: NormalEvent['sdk']): boolean =>
  sdk !== undefined && /^sentry\.python(?:\.|$)/.test(sdk.name) && sdk.version.startsWith('3.')

/** Wrappers of React and RxJava carry no information, so their cause counts. */
function causeOfWrapper(values: NormalException[]): NormalException | undefined {
  if (values.length < 2) return undefined
  const newest = values.at(-1)
  if (
    newest?.module?.startsWith('io.reactivex') &&
    /^(?:OnErrorNotImplemented|Composite|Undeliverable)Exception$/.test(newest.type ?? '')
  )
    return values.at(-2)
  const wrapper = values.find((exception) => exception.type === 'Error' && reactRecovered.test(exception.value ?? ''))
  return wrapper && values.find((exception) => exception !== wrapper && exception.mechanism?.source === 'cause')
}

type Tree = {
  root: NormalException
  topLevel: (from: NormalException) => NormalException[]
  firstPath: (from: NormalException) => NormalException[]
}

/** The tree of an exception group; undefined if there is no group or its ids form no tree. */
function treeOf(values: NormalException[]): Tree | undefined {
  if (values.length < 2 || !values.some((exception) => exception.mechanism?.is_exception_group)) return undefined
  const byId = new Map<number, NormalException>()
  const children = new Map<number, NormalException[]>()
  for (const entry of values) {
    const id = entry.mechanism?.exception_id
    const parent = entry.mechanism?.parent_id
    if (id === undefined || byId.has(id) || parent === id) return undefined
    byId.set(id, entry)
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), entry])
  }
  const root = byId.get(0)
  if (!root) return undefined
  const below = (exception: NormalException) => children.get(exception.mechanism?.exception_id ?? -1) ?? []
  const topLevel = (from: NormalException): NormalException[] => {
    // Iterates with a visited set, because ids come from the sender and can form a cycle.
    const seen = new Set<NormalException>()
    const open = [from]
    const out: NormalException[] = []
    for (let entry = open.shift(); entry; entry = open.shift()) {
      if (seen.has(entry)) continue
      seen.add(entry)
      if (entry.mechanism?.is_exception_group) open.push(...below(entry))
      else out.push(entry)
    }
    return out.sort((a, b) => ((a.type ?? '') < (b.type ?? '') ? 1 : (a.type ?? '') > (b.type ?? '') ? -1 : 0))
  }
  const firstPath = (from: NormalException): NormalException[] => {
    const path = new Set<NormalException>()
    for (
      let exception: NormalException | undefined = from;
      exception && !path.has(exception);
      exception = below(exception)[0]
    )
      path.add(exception)
    return [...path]
  }
  return { root, topLevel, firstPath }
}
