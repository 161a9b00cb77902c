import type { FormField } from '../../../wire/minidump.ts'
import { type Loose, object, own } from '../../pipeline/value.ts'
import { type Dump, type DumpModule, moduleAt } from './dump.ts'

const hex = (value: bigint) => `0x${value.toString(16)}`
const baseOf = (path: string) => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

/** Images that an event keeps; those behind are the system's. */
const imagesMax = 1000

/** What the event says of itself, so that nobody takes the one frame for the whole stack. */
const notSymbolicated = 'native_not_symbolicated'

/** What was wrong with a dump, as an event lists it. */
const dumpUnreadable = 'minidump_unreadable'

/**
 * The event of a crash that only a dump tells of, or what a dump adds to the event that came with it: what was sent
 * stays, what is missing comes from the dump. A dump that could not be read (undefined) still makes an event.
 */
export function eventOfDump(sent: Loose, dump: Dump | undefined, why: string): Loose {
  const event: Loose = { ...sent }
  const fill = (key: string, value: unknown) => {
    const found = own(event, key)
    if ((found === undefined || found === null || found === '') && value !== undefined) event[key] = value
  }
  fill('platform', 'native')
  fill('timestamp', dump && dump.writtenS > 0 ? dump.writtenS : undefined)
  if ((own(event, 'exception') ?? own(event, 'sentry.interfaces.Exception') ?? null) === null) {
    const place = dump && placeOf(dump)
    fill('level', dump && !dump.crash ? 'info' : 'fatal')
    event['exception'] = { values: [exceptionOf(dump, place)] }
  }
  const errors = own(event, 'errors')
  event['errors'] = [
    ...(Array.isArray(errors) ? errors : []),
    dump
      ? { type: notSymbolicated, name: 'exception', value: 'the stack is in the minidump, which is attached' }
      : { type: dumpUnreadable, name: 'minidump', value: why },
  ]
  if (dump) addFacts(event, dump)
  return event
}

/** Where the crashed thread stood, as debuggers write it without symbols: `app.exe+0x1a2b`. */
function placeOf(dump: Dump): { name: string; module: DumpModule } | undefined {
  const module = dump.instruction === 0n ? undefined : moduleAt(dump, dump.instruction)
  if (!module) return undefined
  return { name: `${baseOf(module.file) || 'unknown'}+${hex(dump.instruction - module.base)}`, module }
}

function exceptionOf(dump: Dump | undefined, place: ReturnType<typeof placeOf>): Loose {
  if (!dump) return { type: 'Native crash', value: 'the minidump could not be read', mechanism: mechanismOf(true, {}) }
  const { crash, instruction, modules } = dump
  const program = modules[0] ? baseOf(modules[0].file) : ''
  const frame = {
    instruction_addr: hex(instruction),
    in_app: place?.module === modules[0],
    // The place is what such a stack is grouped by.
    ...(place ? { module: place.name, package: place.module.file, image_addr: hex(place.module.base) } : {}),
  }
  const value =
    place?.name ?? (program && `${crash ? 'outside of every module' : 'written without a crash'}, ${program}`)
  return {
    type: crash?.name ?? 'Minidump',
    ...(value ? { value } : {}),
    ...(crash ? { thread_id: crash.threadId } : {}),
    mechanism: mechanismOf(crash !== undefined, crash ? { address: hex(crash.address) } : {}),
    ...(instruction === 0n ? {} : { stacktrace: { frames: [frame] } }),
  }
}

const mechanismOf = (crashed: boolean, data: Loose): Loose => ({ type: 'minidump', handled: !crashed, data })

/** System, processor and loaded files; what the SDK said itself stands. */
function addFacts(event: Loose, dump: Dump): void {
  const contexts: Loose = { ...(object(own(event, 'contexts')) ?? {}) }
  if (dump.os && own(contexts, 'os') === undefined) {
    contexts['os'] = {
      name: dump.os,
      ...(dump.osVersion ? { version: dump.osVersion } : {}),
      ...(dump.osBuild ? { build: dump.osBuild } : {}),
    }
  }
  if (dump.cpu && own(contexts, 'device') === undefined) contexts['device'] = { arch: dump.cpu }
  contexts['minidump'] = {
    crashed: dump.crash !== undefined,
    ...(dump.crash ? { thread_id: dump.crash.threadId, address: hex(dump.crash.address) } : {}),
    ...(dump.instruction === 0n ? {} : { instruction: hex(dump.instruction) }),
    threads: dump.threads,
    modules: dump.modules.length,
  }
  event['contexts'] = contexts
  if (dump.modules.length > 0 && own(event, 'debug_meta') === undefined)
    event['debug_meta'] = { images: dump.modules.slice(0, imagesMax).map(imageOf) }
}

const imageOf = (dumpModule: DumpModule): Loose => ({
  type: dumpModule.type,
  code_file: dumpModule.file,
  image_addr: hex(dumpModule.base),
  image_size: dumpModule.bytes,
  ...(dumpModule.codeId ? { code_id: dumpModule.codeId } : {}),
  ...(dumpModule.debugId ? { debug_id: dumpModule.debugId } : {}),
  ...(dumpModule.debugFile ? { debug_file: dumpModule.debugFile } : {}),
})

/** Other fields of a crash reporter's form, as the event's extra data; what `sentry` says of the same name stands. */
export function withFields(event: Loose, fields: readonly FormField[]): Loose {
  if (fields.length === 0) return event
  const extra: Loose = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
  return { ...event, extra: { ...extra, ...(object(own(event, 'extra')) ?? {}) } }
}
