'use client'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { createKeybindingsHandler } from 'tinykeys'
import { type Binding, bindingMap, isSingle, isTyping, secondOf } from './key-rules.ts'
import { singleKeysOff } from './single-keys.ts'

/** Maximum time between two presses of one binding, ms. */
const sequenceMs = 1000

type Registry = {
  add(binding: Binding): () => void
  list(): Binding[]
  subscribe(listener: () => void): () => void
  /** Reads the person's choice about single keys again. */
  renew(): void
  /** Disables all keys until the returned function is called. */
  suspend(): () => void
}

const Keys = createContext<Registry | undefined>(undefined)

/** The registry of all active keys, which the help dialog also shows. Keys are off inside inputs and editors. */
export function KeyProvider({ children }: { children: ReactNode }) {
  const bindings = useRef<Binding[]>([])
  const listeners = useRef(new Set<() => void>())
  const holds = useRef(0)
  const handler = useRef<(event: KeyboardEvent) => void>(() => {})
  const registry = useMemo<Registry>(() => {
    const changed = () => {
      const single = bindings.current.filter((binding) => !binding.keys.includes(' '))
      const active = singleKeysOff() ? single.filter((binding) => !isSingle(binding.keys)) : single
      handler.current = createKeybindingsHandler(bindingMap(active), { timeout: sequenceMs })
      for (const listener of listeners.current) listener()
    }
    return {
      add: (binding) => {
        bindings.current = [...bindings.current, binding]
        changed()
        return () => {
          bindings.current = bindings.current.filter((other) => other !== binding)
          changed()
        }
      },
      renew: changed,
      suspend: () => {
        holds.current += 1
        return () => {
          holds.current -= 1
        }
      },
      list: () => bindings.current,
      subscribe: (listener) => {
        listeners.current.add(listener)
        return () => listeners.current.delete(listener)
      },
    }
  }, [])
  useEffect(() => {
    let first = { key: '', atMs: 0 }
    const onKey = (event: KeyboardEvent) => {
      if (holds.current > 0 || event.defaultPrevented || isTyping(event.target, event.key)) return
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
      const isSecond = isPlain && event.timeStamp - first.atMs < sequenceMs && !singleKeysOff()
      const second = isSecond ? secondOf(bindings.current, first.key, event.key) : undefined
      first = { key: isPlain && !second ? event.key : '', atMs: event.timeStamp }
      if (!second) {
        handler.current(event)
        return
      }
      event.preventDefault()
      second.run(event)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  return <Keys value={registry}>{children}</Keys>
}

/**
 * Binds `keys` (tinykeys notation: 'j', 'Shift+j', '$mod+k', 'g i') while the component is mounted. `label` is the text
 * in the help, `group` its heading. The newest binding of a key wins.
 */
export function useKey(
  keys: string,
  group: string,
  label: string,
  run: (event: KeyboardEvent) => void,
  enabled = true,
): void {
  const registry = useContext(Keys)
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    if (!registry || !enabled) return
    return registry.add({ keys, group, label, run: (event) => latest.current(event) })
  }, [registry, keys, group, label, enabled])
}

/** While mounted and `isSuspended`, all keys are off, because a dialog covers their targets. */
export function useSuspendedKeys(isSuspended: boolean): void {
  const registry = useContext(Keys)
  useEffect(() => (isSuspended ? registry?.suspend() : undefined), [registry, isSuspended])
}

/** Reads the switch for single keys again after a change. */
export function useRenewKeys(): () => void {
  const registry = useContext(Keys)
  return () => registry?.renew()
}

/** All active bindings, for the help dialog. */
export function useBindings(): Binding[] {
  const registry = useContext(Keys)
  const [list, setList] = useState<Binding[]>([])
  const read = useCallback(() => setList(registry?.list() ?? []), [registry])
  useEffect(() => {
    read()
    return registry?.subscribe(read)
  }, [registry, read])
  return list
}
