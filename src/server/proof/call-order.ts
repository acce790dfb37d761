import { outerPath, stepIdAt } from '../../contract/step-path.ts'
import { currentPlace } from './code-place.ts'
import type { Life } from './code-place.ts'
import { keyOf } from './recorded-steps.ts'

/** A call that another pass of the same function makes otherwise. */
export interface UnstableCall {
  readonly stepId: string
  readonly message: string
}

interface Pass {
  readonly life: Life
  /** The paths of its calls, in their order. */
  readonly paths: Set<string>
  /** Whether each of its calls was made after the one before had ended. */
  isSequential: boolean
  last: string | undefined
}

/** The passes of one function, in their order. */
interface Passes {
  readonly executionId: string
  /** The path of the function. */
  readonly path: string
  readonly all: Pass[]
}

const CAUSE =
  'it follows from the time, a random number or state outside of recorded calls. Take it from the input, or from a recorded call'

/** The recorded calls that functions make in a run, pass by pass. */
export class CallOrder {
  readonly #functions = new Map<string, Passes>()
  readonly #passes = new Map<object, Pass>()
  /** By execution and path. */
  readonly #ended = new Set<string>()

  /** To be called by the code that makes the call. */
  made({ executionId, path }: { readonly executionId: string; readonly path: string }): void {
    const place = currentPlace()
    if (!place) return
    const pass = this.#passes.get(place.pass) ?? this.#begin(keyOf(executionId, path), place)
    if (pass.last !== undefined && !this.#ended.has(keyOf(executionId, pass.last))) pass.isSequential = false
    pass.paths.add(path)
    pass.last = path
  }

  ended(executionId: string, path: string): void {
    this.#ended.add(keyOf(executionId, path))
  }

  /**
   * What later passes of a run that has completed made otherwise.
   *
   * @param cancelled calls that lost a race, by execution and path
   */
  unstable(cancelled: ReadonlySet<string>): readonly UnstableCall[] {
    return [...this.#functions.values()].flatMap(({ executionId, path, all }) => {
      const [first] = all
      const last = all.at(-1)
      if (!first || !last) return []
      // an attempt that failed was not interrupted
      const interrupted = all.filter((pass) => pass !== last && (path === '' || pass.life !== last.life))
      const isLost = (call: string) => cancelled.has(keyOf(executionId, call))
      return [
        ...interrupted.flatMap((pass) => missingIn(last, pass, isLost)),
        ...(first.isSequential ? all.flatMap((pass) => otherOrder(first, pass)) : []),
      ]
    })
  }

  #begin(call: string, { life, pass: key }: { readonly life: Life; readonly pass: object }): Pass {
    const [executionId = '', callPath = ''] = call.split(' ')
    const path = outerPath(callPath)
    const place = keyOf(executionId, path)
    const passes = this.#functions.get(place) ?? { executionId, path, all: [] }
    this.#functions.set(place, passes)
    const pass: Pass = { life, paths: new Set(), isSequential: true, last: undefined }
    passes.all.push(pass)
    this.#passes.set(key, pass)
    return pass
  }
}

/** The calls of an interrupted pass that the last one has not made. */
function missingIn(last: Pass, { paths }: Pass, isLost: (path: string) => boolean): UnstableCall[] {
  const missing = [...paths].filter((path) => !last.paths.has(path) && !isLost(path))
  return missing.map((path) => ({
    stepId: stepIdAt(path),
    message: `"${stepIdAt(path)}" was called in one pass, and not in a later one: ${CAUSE}`,
  }))
}

/** The first call that another pass makes at another place. */
function otherOrder(first: Pass, other: Pass): UnstableCall[] {
  const before = [...first.paths].filter((path) => other.paths.has(path))
  const after = [...other.paths].filter((path) => first.paths.has(path))
  const place = before.findIndex((path, index) => path !== after[index])
  if (place === -1) return []
  const [was, is] = [stepIdAt(before[place] as string), stepIdAt(after[place] as string)]
  return [
    {
      stepId: is,
      message: `"${was}" was called before "${is}" in one pass, and after it in a later one: ${CAUSE}`,
    },
  ]
}
