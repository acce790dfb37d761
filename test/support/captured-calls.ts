import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Members that all code uses all the time: each use of one is an occasion to look at the stack. */
const OCCASIONS: readonly (readonly [object, string])[] = [
  [Map.prototype, 'get'],
  [Map.prototype, 'set'],
  [Map.prototype, 'size'],
  [Set.prototype, 'add'],
  [Date, 'now'],
  [Date.prototype, 'toISOString'],
  [JSON, 'parse'],
  [JSON, 'stringify'],
  [globalThis, 'setTimeout'],
  [globalThis, 'setImmediate'],
  [WebSocket.prototype, 'send'],
]

/**
 * The functions of src that were seen in a stack during `work`, in the order in which each was first seen, callers before
 * the functions they call: `src/engine/run/run.ts Run.start`. Callers that await are in the stacks as well.
 */
export async function capturedCalls(work: () => Promise<unknown>): Promise<string[]> {
  const calls = new Set<string>()
  const add = calls.add.bind(calls)
  let isLooking = false
  const look = () => {
    if (isLooking) return
    isLooking = true
    for (const call of callsInProgress()) add(call)
    isLooking = false
  }
  const restore = OCCASIONS.map(([owner, name]) => intercept(owner, name, look))
  try {
    await work()
  } finally {
    for (const undo of restore) undo()
  }
  return [...calls]
}

/** Calls `onUse` before each call of a method, or each read of a property. Returns the function that ends this. */
function intercept(owner: object, name: string, onUse: () => void): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor
  const member = descriptor.get === undefined ? 'value' : 'get'
  const original = descriptor[member] as (...args: unknown[]) => unknown
  const replacement = function (this: unknown, ...args: unknown[]) {
    onUse()
    return Reflect.apply(original, this, args)
  }
  Object.defineProperty(owner, name, { ...descriptor, [member]: replacement })
  return () => void Object.defineProperty(owner, name, descriptor)
}

/** The named functions of src on the stack, the outermost first. */
function callsInProgress(): string[] {
  const { stackTraceLimit } = Error
  const format: unknown = Reflect.get(Error, 'prepareStackTrace')
  Error.stackTraceLimit = Infinity
  Error.prepareStackTrace = (_error, sites) => sites.map(callAt)
  const calls: unknown = new Error('not thrown').stack
  Reflect.set(Error, 'prepareStackTrace', format)
  Error.stackTraceLimit = stackTraceLimit
  // it is text while the stack of another error is formatted
  if (!Array.isArray(calls)) return []
  return calls.filter((call): call is string => call !== undefined).toReversed()
}

function callAt(site: NodeJS.CallSite): string | undefined {
  const url = site.getFileName() ?? ''
  const file = url.startsWith('file:') ? fileURLToPath(url) : url
  const name = site.getFunctionName()
  if (name === null || !file.startsWith(`${ROOT}src`)) return undefined
  const type = site.isToplevel() ? null : site.getTypeName()
  const isMethod = type !== null && type !== 'Object'
  return `${file.slice(ROOT.length)} ${isMethod ? `${type}.` : ''}${name}`
}
