import type { Client } from '../../client/create-client.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { type CaseResult, type EvalResult, mean, sumOfCosts } from './case-result.ts'
import { type CaseToRun, runCase } from './run-case.ts'

/** An eval with its cases. */
export interface EvalToRun {
  readonly id: string
  readonly cases: readonly CaseToRun[]
  readonly concurrency: number
  readonly threshold: number
}

export interface RunEvalOptions {
  readonly client: Client
  /** Records or replays what models answer to the cases. */
  readonly recordings?: Recordings | undefined
  /** How often each case runs. */
  readonly repeat: number
  /** Ends the run: cases that have not ended are left out. */
  readonly signal: AbortSignal
  readonly onCase: (result: CaseResult) => void
}

/** Runs the cases of an eval, several at a time. */
export async function runEval(
  { id, cases, concurrency, threshold }: EvalToRun,
  { client, recordings, repeat, signal, onCase }: RunEvalOptions,
): Promise<EvalResult> {
  const results = new Map<CaseToRun, CaseResult>()
  const waiting = cases.values()
  const work = async () => {
    for (const one of waiting) {
      const open = recordings?.open(id, one.id)
      const result = await repeated(() => runCase(open?.client ?? client, one, signal), repeat)
      open?.close()
      results.set(one, result)
      onCase(result)
    }
  }
  const workers = Array.from({ length: Math.min(concurrency, cases.length) }, () =>
    work().catch((error: unknown) => {
      if (!signal.aborted) throw error
    }),
  )
  await Promise.all(workers)
  const done = cases.flatMap((one) => results.get(one) ?? [])
  const score = done.length === 0 ? null : mean(done.map((one) => one.score))
  return { id, threshold, score, passed: score === null || score >= threshold, cases: done }
}

async function repeated(run: () => Promise<CaseResult>, times: number): Promise<CaseResult> {
  const results: CaseResult[] = []
  for (let time = 0; time < times; time++) results.push(await run())
  const scores = results.map(({ score }) => score)
  // the worst one explains the score
  const worst = results.reduce((low, one) => (one.score < low.score ? one : low))
  return {
    ...worst,
    score: mean(scores),
    ...(times > 1 && { spread: [Math.min(...scores), Math.max(...scores)] as const }),
    durationMs: mean(results.map(({ durationMs }) => durationMs)),
    costUsd: sumOfCosts(results.map(({ costUsd }) => costUsd)),
  }
}
