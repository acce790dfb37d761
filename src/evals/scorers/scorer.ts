import type { Agent } from '../../agent/agent.ts'
import type { Awaitable } from '../../lib/async/awaitable.ts'
import type { CaseRules } from '../../contract/evals/case.ts'

/** A call of a tool during a case, in the order of their starts. */
export interface TracedToolCall {
  /** Name of the tool. */
  readonly toolName: string
  /** The arguments; `undefined` when the content of conversations is not recorded. */
  readonly input: unknown
}

/** What happened while a case ran. */
export interface CaseTrace {
  /** Id of the trace. */
  readonly traceId: string
  /** Time from the start to the output in milliseconds. */
  readonly durationMs: number
  /** Steps of the workflow, or model calls of the agent, that were run. */
  readonly steps: number
  /** Tool calls of the run, in order. */
  readonly toolCalls: readonly TracedToolCall[]
  /** Cost of all model calls in US dollars; `null` when the price of a model is unknown, 0 without model calls. */
  readonly costUsd: number | null
}

/** What a scorer judges. */
export interface Scored {
  /** Input of the case. */
  readonly input: unknown
  /** Output of the run. */
  readonly output: unknown
  /** `undefined` when the case has none. */
  readonly expected: unknown
  /** The rules of the case. */
  readonly rules: CaseRules
  /** What the run did. */
  readonly trace: CaseTrace
  /** Calls the scorer's own `agent` for an object that fits a JSON schema. */
  readonly judge: (input: string, schema: Readonly<Record<string, unknown>>) => Promise<Judgement>
}

export interface Judgement {
  /** Object that the judge returned. */
  readonly object: unknown
  /** Cost of the judge's call in US dollars; null without a price. */
  readonly costUsd: number | null
  /** The model that has answered, as `provider/model`. */
  readonly model: string
}

/** A number from 0 (wrong) to 1 (right), alone or with its reason. */
export type Score =
  | number
  | {
      /** Score from 0 to 1. */
      readonly score: number
      /** Why it has this score. */
      readonly reason?: string | undefined
      /** What the scorer itself cost, in US dollars. */
      readonly costUsd?: number | null
      /** The model that has judged, as `provider/model`. */
      readonly model?: string
    }

/**
 * Judges the output of a case. The name of the function is shown with its scores; without one, its position: `scorers[0]`.
 *
 * @example
 * const polite: Scorer = ({ output }) => (/please|thank/i.test(String(output)) ? 1 : { score: 0, reason: 'not polite' })
 */
export interface Scorer {
  (scored: Scored): Awaitable<Score>
  /** Whether a case without `expected` is an error. */
  readonly needsExpected?: boolean
  /** The agent that `judge` calls. */
  readonly agent?: Agent
}

/** A scorer with a name. */
export function scorer(
  name: string,
  score: (scored: Scored) => Awaitable<Score>,
  options: { readonly needsExpected?: boolean; readonly agent?: Agent } = {},
): Scorer {
  return Object.defineProperty(Object.assign(score, options), 'name', { value: name })
}

/** The value as text: a string as it is, others as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
