import type { NormalEvent } from '../../domain/event.ts'
import { own, scalar } from '../pipeline/value.ts'

const linesMax = 60

/** A component name with its wrapper: `Order`, `Menu.Item`, `withTheme(Button)`. */
const name = String.raw`[\w$.]{1,100}(?:\([\w$.()]{1,100})?`
/** A line of a component stack: `at Order (https://…)` in Chrome, `in Order` in React 16, else `Order@https://…`. */
const stackLine = new RegExp(String.raw`^\s{0,20}(?:(?:at|in) (${name})(?=\s|$)|([\w$.]{1,100})@)`)

/** The components in the stack lines of a text, nearest first. */
export const namesInStack = (text: string): string[] =>
  text.split('\n', linesMax).flatMap((line) => {
    const found = stackLine.exec(line)
    return found?.[1] ?? found?.[2] ?? []
  })

/** Component names from the exception that the SDK makes of the component stack, and from the context `react`. */
export function stackNames(event: NormalEvent): string[] {
  const stack = scalar(own(event.contexts['react'] ?? {}, 'componentStack')) ?? ''
  const made = event.exception?.values.find((exception) => exception.type?.startsWith('React ErrorBoundary'))
  const frames = (made?.stacktrace?.frames ?? []).slice(-linesMax).map((frame) => frame.function ?? '')
  return [...frames.reverse(), ...namesInStack(stack)]
}

/** Components of React and Next.js that are in every tree. */
const framework =
  /^(?:Suspense|SuspenseList|Fragment|Lazy|Activity|Offscreen|ViewTransition|Profiler|StrictMode|AppRouter|AppRouterAnnouncer|HistoryUpdater|HandleRedirect|ReplaySsrOnlyErrors|RootLevelDevOverlayElement|PagesDevOverlayBridge|ImageElement|LinkComponent|LoadableComponent|Loadable|BailoutToCSR|PreloadChunks|Router|Root|ServerRoot|App|AppContainer|CatchError|Container|Head|Body|Html|NextScript|\w{0,60}(?:ErrorBoundary(?:Handler)?|LayoutRouter|TemplateContext|FocusHandler|ScrollHandler|RedirectBoundary|NotFoundBoundary|FallbackBoundary|LoadingBoundary|DegradeBoundary|Segment\w{0,20}Node|PageRoot|SegmentRoot|MetadataBoundary|ViewportBoundary|OutletBoundary|DevOverlay|ProviderAdapter|Provider|Consumer|Context))$/

/** `Button` in `withTheme(Connect(Button))`: wrappers have no file in the application. */
const unwrapped = (text: string): string => /\(([\w$.]{1,100})\)+$/.exec(text)?.[1] ?? text

/** The first name that is a component of the application. */
export const ownComponent = (names: readonly string[]): string | undefined =>
  names.map(unwrapped).find((entry) => /^[A-Z$][\w$.]{0,99}$/.test(entry) && !framework.test(entry))
