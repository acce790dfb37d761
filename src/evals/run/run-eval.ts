import type { ApiClient } from '../../client/api.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { mean, sumOfCosts } from './case-result.ts'
import type { CaseResult, EvalResult } from './case-result.ts'
import { runCase } from './run-case.ts'
import type { CaseToRun } from './run-case.ts'

/** An eval with its cases. */
export interface EvalToRun {
  readonly id: string
  readonly cases: readonly CaseToRun[]
  readonly concurrency: number
  readonly threshold: number
}

interface RunOptions {
  readonly client: ApiClient
  /** Records or replays what models answer to the cases. */
  readonly recordings?: Recordings | undefined
  /** How often each case runs. */
  readonly repeat: number
  /** Ends the run: cases that have not ended are left out. */
  readonly signal: AbortSignal
}

export interface RunEvalOptions extends RunOptions {
  readonly onCase: (result: CaseResult) => void
}

/** Runs the cases of an eval, several at a time. */
export async function runEval(one: EvalToRun, { onCase, ...options }: RunEvalOptions): Promise<EvalResult> {
  const results = new Map<number, CaseResult>()
  await runCases(one, {
    ...options,
    onCase: async (result, position) => {
      results.set(position, result)
      onCase(result)
    },
  })
  const { id, threshold, cases } = one
  const done = cases.flatMap((_, position) => results.get(position) ?? [])
  const score = done.length === 0 ? null : mean(done.map((each) => each.score))
  const passed = !done.some(({ broken }) => broken) && (score === null || score >= threshold)
  return { id, threshold, score, passed, cases: done }
}

export interface RunCasesOptions extends RunOptions {
  /** Called with each case that has ended, and its place among the cases; the next one starts when it resolves. */
  readonly onCase: (result: CaseResult, position: number) => Promise<void>
}

/** Runs the cases of an eval, several at a time, and keeps none of the results. */
export async function runCases(
  { id, cases, concurrency }: EvalToRun,
  { client, recordings, repeat, signal, onCase }: RunCasesOptions,
): Promise<void> {
  const failed = new AbortController()
  const ended = AbortSignal.any([signal, failed.signal])
  const waiting = cases.entries()
  const work = async () => {
    for (const [position, one] of waiting) {
      const open = 'broken' in one ? undefined : recordings?.open(id, one.id)
      const result = await repeated(() => runCase(open?.client ?? client, one, ended), repeat)
      open?.close(result.error !== undefined)
      await onCase(result, position)
    }
  }
  const workers = Array.from({ length: Math.min(concurrency, cases.length) }, () =>
    work().catch((error: unknown) => {
      if (ended.aborted) return
      // the other workers stop as well
      failed.abort(error)
      throw error
    }),
  )
  await Promise.all(workers)
}

async function repeated(run: () => Promise<CaseResult>, times: number): Promise<CaseResult> {
  const results: CaseResult[] = []
  for (let time = 0; time < times; time++) results.push(await run())
  const scores = results.map(({ score }) => score)
  // the worst one explains the score
  const worst =
    results.find(({ broken }) => broken) ?? results.reduce((low, one) => (one.score < low.score ? one : low))
  return {
    ...worst,
    score: mean(scores),
    ...(times > 1 && { spread: [Math.min(...scores), Math.max(...scores)] as const }),
    durationMs: mean(results.map(({ durationMs }) => durationMs)),
    costUsd: sumOfCosts(results.map(({ costUsd }) => costUsd)),
  }
}
