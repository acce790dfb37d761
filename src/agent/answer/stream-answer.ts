import type * as Ai from 'ai'
import type { Deadline } from '../../lib/async/deadline.ts'
import { AppError } from '../../lib/errors.ts'
import type { ResolvedAgent } from '../resolve-agent.ts'
import { answerDeadline } from './answer-deadline.ts'
import { failedAnswer, finishAnswer } from './finish-answer.ts'
import type { SdkAnswer } from './finish-answer.ts'
import type { Generated, GeneratedStep, SettledCall } from './generated.ts'
import { toSteps } from './generated-steps.ts'
import { prepareCall, toolContext } from './prepare-call.ts'
import type { GenerateOptions, PreparedCall } from './prepare-call.ts'
import { LiveParts } from './live/live-parts.ts'
import { partListener } from './live/part-listener.ts'
import type { WrappedSchema } from './wrapped-schema.ts'

/**
 * The answer of an agent as a stream. Read it once, as `parts` or as `chunks`; the model is read no faster than the
 * stream.
 */
export interface AnswerStream {
  readonly ai: typeof Ai
  readonly answerSchema: WrappedSchema | undefined
  /** Aborts with the caller's signal or after the agent's `timeoutMs`. */
  readonly signal: AbortSignal
  parts(): AsyncIterable<Ai.TextStreamPart<Ai.ToolSet>>
  /** The stream for the UI hooks of the AI SDK. */
  chunks(options: ChunkOptions): AsyncIterable<Ai.UIMessageChunk>
  /** What tools and sub-agents report meanwhile; `undefined` for an agent without them. */
  readonly live: LiveParts | undefined
  /** The calls of sub-agents that had waited, and have been settled so far. */
  readonly settled: readonly SettledCall[]
  /** The incomplete answer. */
  progress(): AnswerProgress
  /**
   * The complete answer, after the stream was read to its end. Call it exactly once, also when reading failed, then
   * with the error. Throws like `generate`.
   */
  end(failure?: unknown): Promise<Generated>
}

export interface AnswerProgress {
  /** The text of the current step. */
  readonly text: string
  /** The completed steps. */
  readonly steps: readonly GeneratedStep[]
}

export interface ChunkOptions {
  /** The id of the message that is generated. */
  readonly messageId: string
  readonly originalMessages: readonly Ai.UIMessage[]
  readonly onError: (error: unknown) => string
}

/**
 * Calls an agent like `generate`, and returns the answer as a stream.
 *
 * @throws AppError `unavailable` when the key or the package of the model's provider is missing. Later errors are
 *   part of the stream.
 */
export async function streamAnswer(agent: ResolvedAgent, options: GenerateOptions): Promise<AnswerStream> {
  const deadline = answerDeadline(agent, options)
  try {
    return await startStream(agent, { ...options, signal: deadline.signal }, deadline)
  } catch (error) {
    deadline.clear()
    throw error
  }
}

async function startStream(
  agent: ResolvedAgent,
  options: GenerateOptions,
  deadline: Deadline,
): Promise<AnswerStream> {
  const context = await toolContext(options)
  const { onStart, onEnd } = agent.hooks
  await onStart?.({ prompt: options.prompt, context })
  try {
    const live = liveParts(agent, options)
    const listener = live && partListener(live, ['reports'], agent.forwardParts)
    const call = await prepareCall(agent, { ...options, listener }, { context, fail: deadline.abort })
    return new SdkAnswerStream(agent, options, { call, live, deadline })
  } catch (error) {
    await onEnd?.({ context, error })
    throw error
  }
}

function liveParts(agent: ResolvedAgent, { resumed }: GenerateOptions): LiveParts | undefined {
  if (agent.tools.length === 0 && agent.subAgents.length === 0) return undefined
  const { executed = [], subAgents = [] } = resumed ?? {}
  return new LiveParts([...executed, ...subAgents.map(({ toolCallId }) => toolCallId)])
}

class SdkAnswerStream implements AnswerStream {
  readonly #agent: ResolvedAgent
  readonly #options: GenerateOptions
  readonly #call: PreparedCall
  readonly live: LiveParts | undefined
  readonly #deadline: Deadline
  readonly #result: Ai.StreamTextResult<Ai.ToolSet, never>
  readonly #steps: GeneratedStep[] = []
  #text = ''
  #answer: SdkAnswer | undefined
  #error: unknown

  constructor(
    agent: ResolvedAgent,
    options: GenerateOptions,
    { call, live, deadline }: { call: PreparedCall; live: LiveParts | undefined; deadline: Deadline },
  ) {
    this.live = live
    this.#agent = agent
    this.#options = options
    this.#call = call
    this.#deadline = deadline
    this.#result = call.ai.streamText({
      ...call.parameters,
      onChunk: ({ chunk }) => {
        if (chunk.type === 'text-delta') this.#text += chunk.text
      },
      onStepFinish: (step) => {
        this.#steps.push(...toSteps([step]))
        this.#text = ''
      },
      onFinish: (answer) => {
        this.#answer = answer
      },
      // without this handler the AI SDK prints the error to the console; end() throws it
      onError: ({ error }) => {
        this.#error ??= error
      },
    })
  }

  get ai(): typeof Ai {
    return this.#call.ai
  }

  get answerSchema(): WrappedSchema | undefined {
    return this.#call.answerSchema
  }

  get settled(): readonly SettledCall[] {
    return this.#call.settled
  }

  get signal(): AbortSignal {
    return this.#deadline.signal
  }

  parts(): AsyncIterable<Ai.TextStreamPart<Ai.ToolSet>> {
    return this.#result.fullStream
  }

  chunks({ messageId, originalMessages, onError }: ChunkOptions): AsyncIterable<Ai.UIMessageChunk> {
    return this.#result.toUIMessageStream({
      originalMessages: [...originalMessages],
      generateMessageId: () => messageId,
      onError,
    })
  }

  progress(): AnswerProgress {
    return { text: this.#text, steps: [...this.#steps] }
  }

  async end(failure?: unknown): Promise<Generated> {
    const { context } = this.#call
    const { onEnd } = this.#agent.hooks
    let result: Generated
    try {
      result = await this.#finish(failure)
    } catch (error) {
      await onEnd?.({ context, error })
      throw error
    } finally {
      this.#deadline.clear()
    }
    await onEnd?.({ context, result })
    return result
  }

  async #finish(failure: unknown): Promise<Generated> {
    this.#call.context.signal.throwIfAborted()
    const error = this.#error ?? failure
    if (error !== undefined) return failedAnswer(this.#call, error)
    if (!this.#answer)
      throw new AppError('execution_failed', `Agent "${this.#agent.id}" ended without an answer`)
    return finishAnswer(this.#agent, this.#options, { call: this.#call, answer: this.#answer })
  }
}
