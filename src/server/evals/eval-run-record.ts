import type { EvalCase, EvalRun } from '../../contract/endpoints/project/evals.ts'
import type { CaseTarget } from '../../contract/evals/case.ts'
import type { LoadFailure } from '../../contract/load-failure.ts'
import { fromNanoDollars } from '../../contract/usage/cost.ts'
import { LoadError } from '../../config/loader/errors/load-error.ts'
import type { CaseResult } from '../../evals/run/case-result.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import type { EvalRunRow } from '../../store/evals/eval-store.ts'

/** A run as the API returns it. */
export function evalRunRecord(row: EvalRunRow): EvalRun {
  const { id, evalId, status, threshold, cases, endedCases, failedCases, costNano, commit } = row
  const score = endedCases === 0 ? null : row.scoreSum / endedCases
  return {
    id,
    evalId,
    status,
    target: row.target === null ? null : (JSON.parse(row.target) as CaseTarget),
    threshold,
    score,
    passed:
      status === 'completed' && threshold !== null ? score === null || score >= threshold - ROUNDING : null,
    cases,
    endedCases,
    failedCases,
    costUsd: costNano === null ? null : fromNanoDollars(costNano),
    startedAt: new Date(row.startedAt).toISOString(),
    endedAt: row.endedAt === null ? null : new Date(row.endedAt).toISOString(),
    commit,
    error: row.error === null ? null : (JSON.parse(row.error) as LoadFailure),
  }
}

/** The mean of numbers that were added one by one. */
const ROUNDING = 1e-9

/** A case as it is stored: without secrets, and limited in size. */
export function evalCaseRecord(
  result: CaseResult,
  position: number,
  redact: (value: unknown) => unknown,
): EvalCase {
  const { id, target, input, output, expected, error, broken, scores, score } = result
  const { durationMs, costUsd, traceId } = result
  return {
    id,
    position,
    target,
    input: redact(input),
    output: redact(output),
    expected: redact(expected),
    error: error === undefined ? null : String(redact(error)),
    ...(broken && { broken }),
    scores: scores.map(({ name, score: given, reason, costUsd: own, model }) => ({
      name,
      score: given,
      ...(reason !== undefined && { reason: String(redact(reason)) }),
      ...(own !== undefined && { costUsd: own }),
      ...(model !== undefined && { model }),
    })),
    score,
    durationMs,
    costUsd,
    traceId: traceId ?? null,
  }
}

/** Why evals could not be loaded. */
export function failureOf(error: unknown, redact: (text: string) => string): LoadFailure {
  const failure =
    error instanceof LoadError
      ? error.toJSON()
      : { name: nameOf(error), message: textOf(error), file: null, line: null, column: null, frame: null }
  const { message, frame } = failure
  return { ...failure, message: redact(message), frame: frame === null ? null : redact(frame) }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error'
}

function textOf(error: unknown): string {
  const hint = error instanceof AppError ? error.hint : undefined
  return hint === undefined ? messageOf(error) : `${messageOf(error)}. ${hint}`
}
