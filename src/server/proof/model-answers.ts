import type { AnswerRecorder, ModelCaller, ModelRecorder } from '../../agent/answer/model-recorder.ts'
import type { ModelObject } from '../../agent/model-object.ts'
import type { CallOutcome } from '../../evals/recordings/call-outcome.ts'
import { callHash, callRecord } from '../../evals/recordings/call-record.ts'
import type { ModelCallOptions } from '../../evals/recordings/call-record.ts'
import { recordingModel, replayedModel } from '../../evals/recordings/recorded-model.ts'
import { outsideOfRuns } from './code-place.ts'

/** Answers each question to a model as it was answered in the first run: models are not asked again, and cost nothing. */
export class ModelAnswers implements ModelRecorder {
  readonly #answers = new Map<string, Promise<CallOutcome>>()

  of({ agentId }: ModelCaller): AnswerRecorder {
    return {
      replays: false,
      recordedModel: undefined,
      wrap: (loaded, { ai, redact }) => {
        const { provider, modelId, model } = loaded
        const next = (options: ModelCallOptions) => {
          const key = `${agentId} ${provider}/${modelId} ${callHash(callRecord(options, redact))}`
          const known = this.#answers.get(key) ?? outsideOfRuns(() => ask(model, options))
          this.#answers.set(key, known)
          // what fails may succeed the next time
          known.catch(() => this.#answers.delete(key))
          return known
        }
        return { ...loaded, model: replayedModel(model, next, ai) }
      },
    }
  }

  newTrace(): undefined {
    return undefined
  }
}

/** Calls a model. Its error is thrown as it is. */
async function ask(model: ModelObject, options: ModelCallOptions): Promise<CallOutcome> {
  let recorded: CallOutcome | undefined
  const recording = recordingModel(model, () => (outcome) => (recorded = outcome)) as unknown as {
    doGenerate(asked: ModelCallOptions): PromiseLike<unknown>
  }
  await recording.doGenerate(options)
  return recorded as CallOutcome
}
