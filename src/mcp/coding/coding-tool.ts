import { z } from 'zod'
import type { ApiClient } from '../../client/api.ts'
import type { RecordedChange } from '../../contract/endpoints/settings.ts'

/** What the tools for coding agents need of the server that they work on. */
export interface CodingServer {
  /** Makes requests to the server as the caller of the tool: the gate answers them as it would answer the caller. */
  readonly client: ApiClient
  /** The newest load of the configuration, successful or failed. */
  readonly lastLoad: () => RecordedChange | undefined
  /** Resolves after the next load or change of a pin. Rejects when the signal aborts. */
  readonly nextChange: (signal: AbortSignal) => Promise<void>
  /** How open executions fit the code in service. */
  readonly checkOpen: (limit: number) => Promise<unknown>
  /** Resolves when a run of an eval has ended. */
  readonly evalEnd: (runId: string, signal: AbortSignal) => Promise<void>
  /** What was already reported of pinned executions. Kept as long as the server runs. */
  readonly reported: Map<string, Reported>
}

export interface Reported {
  /** The last replay whose outcome was reported. */
  readonly replayId?: string | undefined
  /** The time of the failed load that was reported. */
  readonly failedAt?: string | undefined
}

/** A tool for coding agents. */
export interface CodingTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string
  /** Tells a model when to use it. */
  readonly description: string
  readonly input: Input
  /** Whether it changes and starts nothing. */
  readonly readOnly: boolean
  /** It needs no server, and is passed none. */
  readonly isLocal?: true
  /** Returns JSON. Throws ApiError when the server refuses the request. */
  run(input: z.output<Input>, server: CodingServer, signal: AbortSignal): Promise<unknown>
}

/** Checks a tool's types. */
export function codingTool<Input extends z.ZodObject>(tool: CodingTool<Input>): CodingTool {
  return tool
}

/** Model contexts are small: longer texts are cut, and the id leads to the whole. */
const MAX_TEXT = 4000
const MAX_RESULT = 100_000

/** The JSON text of a result, bounded. */
export function resultText(result: unknown): string {
  const cut = (_key: string, value: unknown) =>
    typeof value === 'string' && value.length > MAX_TEXT
      ? `${value.slice(0, MAX_TEXT)} … (${value.length - MAX_TEXT} more characters)`
      : value
  const text = JSON.stringify(result, cut, 1) ?? 'null'
  if (text.length <= MAX_RESULT) return text
  return `${text.slice(0, MAX_RESULT)}\n… (${text.length - MAX_RESULT} more characters: ask for less, or for one id)`
}

export const IdInput = z.string().min(1).max(256)
