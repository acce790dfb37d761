import type * as Ai from 'ai'
import type { Deadline } from '../../lib/async/deadline.ts'
import { AppError } from '../../lib/errors.ts'
import type { Agent } from '../agent.ts'
import { answerDeadline } from './answer-deadline.ts'
import type { AnswerSchema } from './answer-schema.ts'
import { finishAnswer, type SdkAnswer } from './finish-answer.ts'
import { subAgentAnswer } from './generate.ts'
import type { Generated, GeneratedStep } from './generated.ts'
import { toSteps } from './generated-steps.ts'
import { type GenerateOptions, prepareCall, type PreparedCall, toolContext } from './prepare-call.ts'
import { translateError } from '../models/provider-error.ts'

/** An answer while it comes. Read it once, as `parts` or as `chunks`; the model is asked no faster than it is read. */
export interface AnswerStream {
  readonly ai: typeof Ai
  readonly asked: AnswerSchema | undefined
  /** Aborts with the caller's, and when the agent's time is up. */
  readonly signal: AbortSignal
  parts(): AsyncIterable<Ai.TextStreamPart<Ai.ToolSet>>
  /** For the AI SDK's user interfaces. */
  chunks(options: ChunkOptions): AsyncIterable<Ai.UIMessageChunk>
  /** What there is of the answer so far. */
  progress(): Progress
  /**
   * The whole answer, once the stream was read to its end. To be called once, also when reading failed, then with
   * the error. Throws as `generate` does.
   */
  end(failure?: unknown): Promise<Generated>
}

export interface Progress {
  /** Of the step that is being made. */
  readonly text: string
  readonly steps: readonly GeneratedStep[]
}

export interface ChunkOptions {
  /** The id of the message that is being written. */
  readonly messageId: string
  readonly originalMessages: readonly Ai.UIMessage[]
  readonly onError: (error: unknown) => string
}

/**
 * Has an agent answer as `generate` does, part by part.
 *
 * @throws AppError `unavailable` when there is no model. What happens later is in the stream.
 */
export async function streamAnswer(agent: Agent, options: GenerateOptions): Promise<AnswerStream> {
  const deadline = answerDeadline(agent, options)
  try {
    return await startAnswer(agent, { ...options, signal: deadline.signal }, deadline)
  } catch (error) {
    deadline.clear()
    throw error
  }
}

async function startAnswer(
  agent: Agent,
  options: GenerateOptions,
  deadline: Deadline,
): Promise<AnswerStream> {
  const context = await toolContext(options)
  const { onStart, onEnd } = agent.hooks
  await onStart?.({ prompt: options.prompt, context })
  try {
    const call = await prepareCall(agent, options, { context, ask: subAgentAnswer(options) })
    return new Answering(agent, options, { call, deadline })
  } catch (error) {
    await onEnd?.({ context, error })
    throw error
  }
}

class Answering implements AnswerStream {
  readonly #agent: Agent
  readonly #options: GenerateOptions
  readonly #call: PreparedCall
  readonly #deadline: Deadline
  readonly #result: Ai.StreamTextResult<Ai.ToolSet, never>
  readonly #steps: GeneratedStep[] = []
  #text = ''
  #answer: SdkAnswer | undefined
  #error: unknown

  constructor(
    agent: Agent,
    options: GenerateOptions,
    { call, deadline }: { call: PreparedCall; deadline: Deadline },
  ) {
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
      // without it the AI SDK prints errors; what is thrown has it
      onError: ({ error }) => {
        this.#error ??= error
      },
    })
  }

  get ai(): typeof Ai {
    return this.#call.ai
  }

  get asked(): AnswerSchema | undefined {
    return this.#call.asked
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

  progress(): Progress {
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

  #finish(failure: unknown): Promise<Generated> {
    this.#call.context.signal.throwIfAborted()
    const error = this.#error ?? failure
    if (error !== undefined) throw translateError(error, this.#call) as Error
    if (!this.#answer)
      throw new AppError('execution_failed', `Agent "${this.#agent.id}" broke off without an answer`)
    return finishAnswer(this.#agent, this.#options, { call: this.#call, answer: this.#answer })
  }
}
