import type { ApiClient } from '../../../src/client/api.ts'
import { equals } from '../../../src/evals/scorers/output-scorers.ts'
import type { EvalToRun } from '../../../src/evals/run/run-eval.ts'
import type { SavedCode, SavedEvals } from '../../../src/server/evals/saved-evals.ts'
import { plannedEval } from '../../../src/server/evals/saved-evals.ts'

/** The input of a case that ends when its run does. */
export const HELD = 'held'

/** Evals whose cases run a tool, which is the given function. */
export class FakeEvals implements SavedEvals {
  /** The evals, and their inputs, which are also what is expected. */
  evals: Readonly<Record<string, readonly object[] | readonly string[]>>
  /** Why the code can't be loaded. */
  problem: Error | undefined
  /** How often the code was loaded to run cases, and is open. */
  opened = 0
  held = 0
  readonly #tool: (input: unknown, signal: AbortSignal) => unknown

  constructor(
    evals: Readonly<Record<string, readonly object[] | readonly string[]>>,
    tool: (input: unknown, signal: AbortSignal) => unknown = (input) => input,
  ) {
    this.evals = evals
    this.#tool = tool
  }

  async list() {
    return this.#planned().map((one) => plannedEval(one, (value) => value))
  }

  async open(): Promise<SavedCode> {
    this.opened++
    const planned = this.#planned()
    this.held++
    const executeTool = async ({ body, signal }: { body: { input: unknown }; signal: AbortSignal }) => ({
      result: body.input === HELD ? await untilAborted(signal) : await this.#tool(body.input, signal),
    })
    return {
      planned,
      redact: (value) => value,
      serve: async (served) => ({ client: { executeTool } as unknown as ApiClient, served }),
      close: async () => void this.held--,
    }
  }

  commit(): null {
    return null
  }

  #planned(): readonly EvalToRun[] {
    if (this.problem) throw this.problem
    return Object.entries(this.evals).map(([id, inputs]) => ({
      id,
      threshold: 0.5,
      concurrency: 2,
      cases: [...inputs].map((input, index) => ({
        id: `${id}/${index + 1}`,
        case: { target: { tool: 'echo' }, input, expected: input },
        scorers: [equals()],
      })),
    }))
  }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new Error('aborted'))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
  })
}
