export type DumpOs = 'Windows' | 'macOS' | 'iOS' | 'Linux' | 'Android' | ''
export type Cpu = 'x86' | 'x86_64' | 'arm' | 'arm64' | ''

/** An exception as recorded in a minidump. */
type Recorded = { code: number; flags: number; address: bigint; parameters: readonly bigint[] }

const signals: ReadonlyMap<number, string> = new Map([
  [1, 'SIGHUP'],
  [2, 'SIGINT'],
  [3, 'SIGQUIT'],
  [4, 'SIGILL'],
  [5, 'SIGTRAP'],
  [6, 'SIGABRT'],
  [7, 'SIGBUS'],
  [8, 'SIGFPE'],
  [9, 'SIGKILL'],
  [11, 'SIGSEGV'],
  [13, 'SIGPIPE'],
  [15, 'SIGTERM'],
  [24, 'SIGXCPU'],
  [25, 'SIGXFSZ'],
  [31, 'SIGSYS'],
])

/** The meanings of a signal's code (`si_code`). */
const signalCodes: ReadonlyMap<number, readonly string[]> = new Map([
  [4, ['ILL_ILLOPC', 'ILL_ILLOPN', 'ILL_ILLADR', 'ILL_ILLTRP', 'ILL_PRVOPC', 'ILL_PRVREG', 'ILL_COPROC', 'ILL_BADSTK']],
  [5, ['TRAP_BRKPT', 'TRAP_TRACE', 'TRAP_BRANCH', 'TRAP_HWBKPT']],
  [7, ['BUS_ADRALN', 'BUS_ADRERR', 'BUS_OBJERR']],
  [8, ['FPE_INTDIV', 'FPE_INTOVF', 'FPE_FLTDIV', 'FPE_FLTOVF', 'FPE_FLTUND', 'FPE_FLTRES', 'FPE_FLTINV', 'FPE_FLTSUB']],
  [11, ['SEGV_MAPERR', 'SEGV_ACCERR', 'SEGV_BNDERR', 'SEGV_PKUERR']],
  [31, ['SYS_SECCOMP']],
])

const machNames: ReadonlyMap<number, string> = new Map([
  [1, 'EXC_BAD_ACCESS'],
  [2, 'EXC_BAD_INSTRUCTION'],
  [3, 'EXC_ARITHMETIC'],
  [4, 'EXC_EMULATION'],
  [5, 'EXC_SOFTWARE'],
  [6, 'EXC_BREAKPOINT'],
  [7, 'EXC_SYSCALL'],
  [8, 'EXC_MACH_SYSCALL'],
  [9, 'EXC_RPC_ALERT'],
  [10, 'EXC_CRASH'],
  [11, 'EXC_RESOURCE'],
  [12, 'EXC_GUARD'],
  [0x43506e78, 'NSException'],
])

const machAccess: ReadonlyMap<number, string> = new Map([
  [1, 'KERN_INVALID_ADDRESS'],
  [2, 'KERN_PROTECTION_FAILURE'],
  [8, 'KERN_NO_ACCESS'],
  [9, 'KERN_MEMORY_FAILURE'],
  [10, 'KERN_MEMORY_ERROR'],
  [0x101, 'EXC_ARM_DA_ALIGN'],
])

const windowsNames: ReadonlyMap<number, string> = new Map([
  [0x40000015, 'STATUS_FATAL_APP_EXIT'],
  [0x80000001, 'EXCEPTION_GUARD_PAGE'],
  [0x80000002, 'EXCEPTION_DATATYPE_MISALIGNMENT'],
  [0x80000003, 'EXCEPTION_BREAKPOINT'],
  [0x80000004, 'EXCEPTION_SINGLE_STEP'],
  [0xc0000005, 'EXCEPTION_ACCESS_VIOLATION'],
  [0xc0000006, 'EXCEPTION_IN_PAGE_ERROR'],
  [0xc0000008, 'EXCEPTION_INVALID_HANDLE'],
  [0xc0000017, 'STATUS_NO_MEMORY'],
  [0xc000001d, 'EXCEPTION_ILLEGAL_INSTRUCTION'],
  [0xc0000025, 'EXCEPTION_NONCONTINUABLE_EXCEPTION'],
  [0xc0000026, 'EXCEPTION_INVALID_DISPOSITION'],
  [0xc000008c, 'EXCEPTION_ARRAY_BOUNDS_EXCEEDED'],
  [0xc000008d, 'EXCEPTION_FLT_DENORMAL_OPERAND'],
  [0xc000008e, 'EXCEPTION_FLT_DIVIDE_BY_ZERO'],
  [0xc000008f, 'EXCEPTION_FLT_INEXACT_RESULT'],
  [0xc0000090, 'EXCEPTION_FLT_INVALID_OPERATION'],
  [0xc0000091, 'EXCEPTION_FLT_OVERFLOW'],
  [0xc0000092, 'EXCEPTION_FLT_STACK_CHECK'],
  [0xc0000093, 'EXCEPTION_FLT_UNDERFLOW'],
  [0xc0000094, 'EXCEPTION_INT_DIVIDE_BY_ZERO'],
  [0xc0000095, 'EXCEPTION_INT_OVERFLOW'],
  [0xc0000096, 'EXCEPTION_PRIV_INSTRUCTION'],
  [0xc00000fd, 'EXCEPTION_STACK_OVERFLOW'],
  [0xc0000194, 'EXCEPTION_POSSIBLE_DEADLOCK'],
  [0xc0000374, 'STATUS_HEAP_CORRUPTION'],
  [0xc0000409, 'STATUS_STACK_BUFFER_OVERRUN'],
  [0xc0000420, 'STATUS_ASSERTION_FAILURE'],
  [0xc06d007e, 'EXCEPTION_MODULE_NOT_FOUND'],
  [0xc06d007f, 'EXCEPTION_PROCEDURE_NOT_FOUND'],
  [0xe0434352, 'CLR exception'],
  [0xe06d7363, 'C++ exception'],
])

const accesses: ReadonlyMap<bigint, string> = new Map([
  [0n, 'READ'],
  [1n, 'WRITE'],
  [8n, 'EXEC'],
])

/** Codes that crash reporters use for a dump requested without a crash. */
const requested: ReadonlySet<number> = new Set([0xffffffff, 0x0517a7ed, 0x43507378])

const hex = (value: number) => `0x${value.toString(16).padStart(8, '0')}`

/** The system's name of an exception and the address involved. `name` is undefined for a dump without a crash. */
export function crashNameOf(os: DumpOs, recorded: Recorded): { name: string | undefined; address: bigint } {
  const { code, flags, address } = recorded
  if (requested.has(code)) return { name: undefined, address: 0n }
  if (os === 'Windows') return windowsName(recorded)
  if (os === 'macOS' || os === 'iOS') {
    const detail = code === 1 ? machAccess.get(flags) : undefined
    return { name: `${machNames.get(code) ?? `EXC ${hex(code)}`}${detail ? ` / ${detail}` : ''}`, address }
  }
  const detail = signalCodes.get(code)?.[flags - 1]
  const name = signals.get(code) ?? (os === '' ? hex(code) : `signal ${code}`)
  return { name: `${name}${detail ? ` / ${detail}` : ''}`, address }
}

function windowsName({ code, address, parameters }: Recorded): { name: string; address: bigint } {
  const name = windowsNames.get(code) ?? hex(code)
  const [kind, target] = parameters
  if ((code === 0xc0000005 || code === 0xc0000006) && kind !== undefined && target !== undefined) {
    const access = accesses.get(kind)
    return { name: access ? `${name}_${access}` : name, address: target }
  }
  // A fast fail has its reason in the first parameter.
  if (code === 0xc0000409 && kind !== undefined && kind > 0n)
    return { name: `${name} / FAST_FAIL ${Number(kind)}`, address }
  return { name, address }
}
