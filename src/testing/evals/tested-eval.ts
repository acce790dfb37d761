import type { ApiClient } from '../../client/api.ts'
import type { Recordings } from '../../evals/recordings/recordings.ts'
import { reasonsOf } from '../../evals/report/junit.ts'
import type { CaseResult, EvalResult } from '../../evals/run/case-result.ts'
import { runEval } from '../../evals/run/run-eval.ts'
import type { EvalToRun } from '../../evals/run/run-eval.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import type { Deferred } from '../../lib/async/wake-up.ts'

interface TestedEvalDeps {
  readonly client: ApiClient
  readonly recordings: Recordings | undefined
  readonly repeat: number
  /** Called when all cases have ended. */
  readonly onEnd: () => Promise<void> | undefined
}

/** A case whose score is too low. */
class FailedCase extends Error {
  override readonly name = 'FailedCase'

  constructor(message: string) {
    super(message)
    // test runners would show the code of this package
    this.stack = `${this.name}: ${message}`
  }
}

/** An eval whose cases are tests. The first test runs all of them, several at a time. */
export class TestedEval {
  readonly #eval: EvalToRun
  readonly #deps: TestedEvalDeps
  readonly #cases: ReadonlyMap<string, Deferred<CaseResult>>
  #result: Promise<EvalResult> | undefined

  constructor(tested: EvalToRun, deps: TestedEvalDeps) {
    this.#eval = tested
    this.#deps = deps
    this.#cases = new Map(tested.cases.map(({ id }) => [id, createDeferred<CaseResult>()]))
  }

  /** Waits for a case. Throws when it, and with it the eval, is below the threshold. */
  async check(id: string): Promise<void> {
    this.#result ??= this.#run()
    const { threshold } = this.#eval
    const ended = this.#cases.get(id) as Deferred<CaseResult>
    const result = await Promise.race([ended.promise, this.#result.then(() => ended.promise)])
    const missing = this.#deps.recordings?.missing.filter((problem) => problem.startsWith(`${id}: `)) ?? []
    if (missing.length > 0) throw new FailedCase(missing.join('\n'))
    if (result.broken) throw new FailedCase(reasonsOf(result).join('\n'))
    if (result.score >= threshold) return
    const { passed, score: mean } = await this.#result
    if (passed) return
    const ofEval = this.#eval.cases.length > 1 ? ` (the eval has ${mean?.toFixed(2)})` : ''
    throw new FailedCase(
      [`score ${result.score.toFixed(2)}, at least ${threshold}${ofEval}`, ...reasonsOf(result)].join('\n'),
    )
  }

  async #run(): Promise<EvalResult> {
    const { signal } = new AbortController()
    const onCase = (result: CaseResult) => this.#cases.get(result.id)?.resolve(result)
    try {
      return await runEval(this.#eval, { ...this.#deps, signal, onCase })
    } finally {
      await this.#deps.onEnd()
    }
  }
}
