import type { StepDefinition, StepRuntime } from './definition.ts'
import { misspelledOptions } from '../lib/unknown-option.ts'
import type { StepContext } from './step-context.ts'
import { functionProblem } from './step.ts'
import { STEP_OPTIONS } from './step-options.ts'
import type { LoopConfig } from './workflow.ts'

/**
 * A loop ran `maxIterations` rounds without its condition ending it.
 *
 * @example
 * if (error.name === 'LoopLimitError') logger.warn('The answer did not become good enough')
 */
export class LoopLimitError extends Error {
  override readonly name = 'LoopLimitError'

  constructor(id: string, rounds: number) {
    super(`The loop "${id}" did not end within ${rounds} rounds (maxIterations)`)
  }
}

const MAX_ITERATIONS = 1000

interface Loop {
  readonly id: string
  readonly step: StepDefinition
  readonly condition: (context: StepContext) => unknown
  readonly maxIterations?: number | undefined
}

/** Runs the step of a loop until its condition is `ending`. */
export async function runLoop(
  runtime: StepRuntime,
  { id, step, condition, maxIterations = MAX_ITERATIONS }: Loop,
  ending: boolean,
): Promise<string> {
  let data = runtime.data
  for (let round = 0; round < maxIterations; round++) {
    data = await runtime.round(step, round, data)
    // a round that an earlier run started needs no second evaluation
    if (runtime.hasStarted(step, round + 1)) continue
    if (Boolean(await runtime.evaluate(condition, data)) === ending) return data
  }
  throw new LoopLimitError(id, maxIterations)
}

const OPTIONS = {
  ...STEP_OPTIONS,
  step: true,
  condition: true,
  maxIterations: true,
} satisfies Record<keyof LoopConfig<unknown, unknown, unknown>, true>

/** Problem texts of the options of a loop. */
export function loopProblems(loop: Loop): (string | undefined)[] {
  const { condition, maxIterations = MAX_ITERATIONS } = loop
  return [
    ...misspelledOptions(loop, OPTIONS),
    functionProblem('condition', condition),
    countProblem('maxIterations', maxIterations),
  ]
}

/** A problem text when `value` is not a positive integer. */
export function countProblem(name: string, value: unknown): string | undefined {
  return Number.isInteger(value) && Number(value) > 0 ? undefined : `${name} must be a positive integer`
}
