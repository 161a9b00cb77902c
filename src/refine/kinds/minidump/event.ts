import type { FormField } from '../../../wire/minidump.ts'
import { type Loose, object, own } from '../../pipeline/value.ts'
import { type Dump, type DumpModule, moduleAt } from './dump.ts'

const hex = (value: bigint) => `0x${value.toString(16)}`
const baseOf = (path: string) => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

/** Images kept per event. Those after them belong to the system. */
const imagesMax = 1000

/** The type of the processing error that says that the single frame is not the whole stack. */
const notSymbolicated = 'native_not_symbolicated'

/** The type of the processing error for an unreadable dump. */
const dumpUnreadable = 'minidump_unreadable'

/**
 * Builds the event of a crash from a dump, or fills missing fields of the event that came with it. Sent fields stay. A
 * dump that could not be read (undefined) still gives an event.
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
    const crashModule = dump && crashModuleOf(dump)
    fill('level', dump && !dump.crash ? 'info' : 'fatal')
    event['exception'] = { values: [exceptionOf(dump, crashModule)] }
  }
  const errors = own(event, 'errors')
  event['errors'] = [
    ...(Array.isArray(errors) ? errors : []),
    dump
      ? { type: notSymbolicated, name: 'exception', value: 'the stack is in the minidump, which is attached' }
      : { type: dumpUnreadable, name: 'minidump', value: why },
  ]
  if (dump) addDetails(event, dump)
  return event
}

/** The crash position in the format of debuggers without symbols: `app.exe+0x1a2b`. */
function crashModuleOf(dump: Dump): { name: string; module: DumpModule } | undefined {
  const module = dump.instruction === 0n ? undefined : moduleAt(dump, dump.instruction)
  if (!module) return undefined
  return { name: `${baseOf(module.file) || 'unknown'}+${hex(dump.instruction - module.base)}`, module }
}

function exceptionOf(dump: Dump | undefined, crashModule: ReturnType<typeof crashModuleOf>): Loose {
  if (!dump) return { type: 'Native crash', value: 'the minidump could not be read', mechanism: mechanismOf(true, {}) }
  const { crash, instruction, modules } = dump
  const program = modules[0] ? baseOf(modules[0].file) : ''
  const frame = {
    instruction_addr: hex(instruction),
    in_app: crashModule?.module === modules[0],
    // Such a stack is grouped by this position.
    ...(crashModule
      ? { module: crashModule.name, package: crashModule.module.file, image_addr: hex(crashModule.module.base) }
      : {}),
  }
  const value =
    crashModule?.name ?? (program && `${crash ? 'outside of every module' : 'written without a crash'}, ${program}`)
  return {
    type: crash?.name ?? 'Minidump',
    ...(value ? { value } : {}),
    ...(crash ? { thread_id: crash.threadId } : {}),
    mechanism: mechanismOf(crash !== undefined, crash ? { address: hex(crash.address) } : {}),
    ...(instruction === 0n ? {} : { stacktrace: { frames: [frame] } }),
  }
}

const mechanismOf = (crashed: boolean, data: Loose): Loose => ({ type: 'minidump', handled: !crashed, data })

/** Adds system, processor and loaded modules. Data from the SDK stays. */
function addDetails(event: Loose, dump: Dump): void {
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

/** Adds the other fields of a crash reporter's form as extra data. Fields of the same name in `sentry` win. */
export function withFields(event: Loose, fields: readonly FormField[]): Loose {
  if (fields.length === 0) return event
  const extra: Loose = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
  return { ...event, extra: { ...extra, ...(object(own(event, 'extra')) ?? {}) } }
}
