import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/create-client.ts'
import { messageOf } from '../../lib/errors.ts'
import type { Case } from '../../contract/evals/case.ts'
import type { CaseTrace, Judgement, Score, Scored, Scorer } from '../scorers/scorer.ts'
import { type CaseResult, mean, type NamedScore } from './case-result.ts'
import { readTrace } from './case-trace.ts'
import { runTarget } from './run-target.ts'

/** A case to run, with the scorers for it. */
export interface CaseToRun {
  readonly id: string
  readonly case: Case
  readonly scorers: readonly Scorer[]
}

/** Runs a case once, and scores its output. A run that fails scores 0. */
export async function runCase(
  client: Client,
  { id, case: tested, scorers }: CaseToRun,
  signal: AbortSignal,
): Promise<CaseResult> {
  const { target, input, expected } = tested
  const startedAt = performance.now()
  const ran = await runTarget(client, tested, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    return { error: errorText(error), traceId: undefined, output: undefined }
  })
  const durationMs = performance.now() - startedAt
  const trace = ran.traceId === undefined ? NOTHING : await readTrace(client, ran.traceId, durationMs)
  const scored = { input, output: ran.output, expected, rules: tested.rules ?? {}, trace }
  const scores =
    ran.error === undefined
      ? await Promise.all(
          scorers.map((one) => scoreOf(one, { ...scored, judge: judgeOf(client, one, signal) })),
        )
      : []
  return {
    id,
    target,
    input,
    output: ran.output,
    expected,
    error: ran.error,
    scores,
    score: scores.length === 0 ? 0 : mean(scores.map(({ score }) => score)),
    durationMs,
    costUsd: trace.costUsd,
    traceId: ran.traceId,
  }
}

const NOTHING: CaseTrace = { traceId: '', durationMs: 0, steps: 0, toolCalls: [], costUsd: 0 }

async function scoreOf(scorer: Scorer, scored: Scored): Promise<NamedScore> {
  const { name } = scorer
  try {
    const given: Score = await scorer(scored)
    const { score, reason, costUsd } = typeof given === 'number' ? { score: given } : given
    if (typeof score !== 'number' || !(score >= 0 && score <= 1))
      return {
        name,
        score: 0,
        reason: `the scorer returned ${JSON.stringify(score)}, not a number from 0 to 1`,
      }
    return { name, score, reason, costUsd }
  } catch (error) {
    return { name, score: 0, reason: `the scorer threw: ${messageOf(error)}` }
  }
}

function judgeOf(client: Client, { agent, name }: Scorer, signal: AbortSignal): Scored['judge'] {
  return async (input, schema): Promise<Judgement> => {
    if (!agent) throw new Error(`The scorer "${name}" has no agent`)
    const { object, usage } = await client.generateObject({
      params: { id: agent.id },
      body: { input, schema },
      signal,
    })
    return { object, costUsd: usage.costUsd }
  }
}

function errorText(error: unknown): string {
  return error instanceof ApiError ? error.message : messageOf(error)
}
