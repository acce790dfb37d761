import { ApiError } from '../../client/api-error.ts'
import type { ApiClient } from '../../client/api.ts'
import { ATTRIBUTE, OPERATION } from '../../contract/attributes.ts'
import type { Span } from '../../contract/endpoints/trace.ts'
import type { Case } from '../../contract/evals/case.ts'
import { messageOf } from '../../lib/errors.ts'
import type { CaseTrace, Judgement, Score, Scored, Scorer, TracedToolCall } from '../scorers/scorer.ts'
import { mean, sumOfCosts } from './case-result.ts'
import type { CaseResult, NamedScore } from './case-result.ts'
import { runTarget } from './run-target.ts'

/** A case to run, with the scorers for it. */
export interface ValidCase {
  readonly id: string
  readonly case: Case
  readonly scorers: readonly Scorer[]
}

/** A case that can't run. */
export interface BrokenCase {
  readonly id: string
  /** What is wrong with it. */
  readonly broken: string
}

export type CaseToRun = ValidCase | BrokenCase

/** Runs a case once, and scores its output. A run that fails scores 0. */
export async function runCase(client: ApiClient, one: CaseToRun, signal: AbortSignal): Promise<CaseResult> {
  if ('broken' in one) return brokenResult(one)
  const { id, case: tested, scorers } = one
  const { target, input, expected } = tested
  const startedAt = performance.now()
  const ran = await runTarget(client, tested, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    return { error: messageOf(error), broken: isRefusal(error), traceId: undefined, output: undefined }
  })
  const durationMs = performance.now() - startedAt
  const trace = ran.traceId === undefined ? NOTHING : await readTrace(client, ran.traceId, durationMs)
  const scored = { input, output: ran.output, expected, rules: tested.rules ?? {}, trace }
  const judged =
    ran.error === undefined
      ? await Promise.all(
          scorers.map((scorer) => scoreOf(scorer, { ...scored, judge: judgeOf(client, scorer, signal) })),
        )
      : []
  signal.throwIfAborted()
  const scores = judged.filter((each) => typeof each !== 'string')
  const problems = judged.filter((each) => typeof each === 'string')
  const isBroken = problems.length > 0 || ('broken' in ran && ran.broken)
  return {
    id,
    target,
    input,
    output: ran.output,
    expected,
    error: problems.length > 0 ? problems.join('; ') : ran.error,
    ...(isBroken && { broken: true }),
    scores,
    score: isBroken || ran.error !== undefined ? 0 : scoreOfAll(scores),
    durationMs,
    costUsd: trace.costUsd,
    traceId: ran.traceId,
  }
}

const NOTHING: CaseTrace = { traceId: '', durationMs: 0, steps: 0, toolCalls: [], costUsd: 0 }

/** A case without scorers has passed when it has completed. */
function scoreOfAll(scores: readonly NamedScore[]): number {
  return scores.length === 0 ? 1 : mean(scores.map(({ score }) => score))
}

function brokenResult({ id, broken }: BrokenCase): CaseResult {
  return {
    id,
    target: null,
    input: null,
    output: undefined,
    expected: undefined,
    error: broken,
    broken: true,
    scores: [],
    score: 0,
    durationMs: 0,
    costUsd: 0,
  }
}

/** Whether the server refuses what the case has: its input, options or resume data. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status === 400
}

/** The score of a scorer, or what is wrong with the scorer. */
async function scoreOf(scorer: Scorer, scored: Scored): Promise<NamedScore | string> {
  const { name } = scorer
  try {
    const given: unknown = await scorer(scored)
    const { score, reason, costUsd, model } = (
      typeof given === 'object' && given !== null ? given : { score: given }
    ) as Exclude<Score, number>
    if (typeof score === 'number' && score >= 0 && score <= 1)
      return { name, score, reason, costUsd, ...(model !== undefined && { model }) }
    return `the scorer "${name}" returned ${printed(score)}, not a number from 0 to 1`
  } catch (error) {
    return `the scorer "${name}" threw: ${messageOf(error)}`
  }
}

/** NaN and Infinity are no JSON. */
function printed(value: unknown): string {
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))
}

function judgeOf(client: ApiClient, { agent, name }: Scorer, signal: AbortSignal): Scored['judge'] {
  return async (input, schema): Promise<Judgement> => {
    if (!agent) throw new Error(`The scorer "${name}" has no agent`)
    const { object, usage, model } = await client.generateObject({
      params: { id: agent.id },
      body: { input, schema },
      signal,
    })
    return { object, costUsd: usage.costUsd, model }
  }
}

/** Reads what happened in a trace. */
async function readTrace(client: ApiClient, traceId: string, durationMs: number): Promise<CaseTrace> {
  const spans = await allSpans(client, traceId)
  const of = (operation: string) => spans.filter((span) => span.attributes[ATTRIBUTE.operation] === operation)
  const modelCalls = of(OPERATION.chat)
  const steps = spans.filter(({ attributes }) => attributes[ATTRIBUTE.stepId] !== undefined)
  return {
    traceId,
    durationMs,
    steps: steps.length > 0 ? steps.length : modelCalls.length,
    toolCalls: of(OPERATION.tool).map((span): TracedToolCall => ({
      toolName: String(span.attributes[ATTRIBUTE.toolName]),
      input: parsed(span.attributes[ATTRIBUTE.toolArguments]),
    })),
    costUsd: sumOfCosts(modelCalls.map(({ attributes }) => costOf(attributes[ATTRIBUTE.cost]))),
  }
}

async function allSpans(client: ApiClient, traceId: string): Promise<readonly Span[]> {
  const spans: Span[] = []
  for (;;) {
    const cursor = spans.at(-1)?.spanId
    const page = await client.getTrace({ params: { traceId }, query: { ...(cursor && { cursor }) } })
    spans.push(...page.spans)
    if (!page.truncated) return spans
  }
}

function costOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
