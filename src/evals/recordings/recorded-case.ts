import type { LoadedModel } from '../../agent/models/load-model.ts'
import type { AnswerRecorder } from '../../agent/answer/model-recorder.ts'
import { callRecord, sortedJson } from './call-record.ts'
import type { CallOutcome } from './call-outcome.ts'
import { recordingModel } from './recorded-model.ts'
import { deleteRecordings, filesIn, recordingName, writeRecording } from './recording-file.ts'
import type { Recording } from './recording-file.ts'

/** A case whose model calls are recorded or replayed. */
export interface CaseCalls {
  /** The recorder for a run of the case. */
  recorder(agentId: string): AnswerRecorder
}

interface Draft extends Omit<Recording, 'outcomes'> {
  /** In the order in which the calls began. */
  readonly outcomes: (CallOutcome | undefined)[]
}

/** Records the model calls of a case, until it has ended. */
export class RecordedCase implements CaseCalls {
  readonly #root: string
  readonly #folder: string
  readonly #drafts = new Map<string, Draft>()

  /** @param folder of the case, from the project's directory `root` */
  constructor(root: string, folder: string) {
    this.#root = root
    this.#folder = folder
  }

  recorder(agentId: string): AnswerRecorder {
    return {
      replays: false,
      recordedModel: undefined,
      wrap: (loaded, { redact }) => ({
        ...loaded,
        model: recordingModel(loaded.model, (options) => {
          const call = callRecord(options, redact) as Recording['call']
          const draft = this.#draftOf({ agent: agentId, model: nameOf(loaded), call })
          const place = draft.outcomes.push(undefined) - 1
          return (outcome) => {
            draft.outcomes[place] = sortedJson(outcome, redact) as CallOutcome
          }
        }),
      }),
    }
  }

  #draftOf(recording: Omit<Recording, 'outcomes'>): Draft {
    const file = `${this.#folder}/${recordingName(recording)}`
    const draft = this.#drafts.get(file) ?? { ...recording, outcomes: [] }
    this.#drafts.set(file, draft)
    return draft
  }

  /**
   * Replaces the recordings of the case. Those of calls that it did not make are kept when it has failed: the key of a
   * model may be missing. Returns how many were written, and which were deleted.
   */
  write(hasFailed: boolean): { readonly written: number; readonly deleted: readonly string[] } {
    const earlier = hasFailed ? [] : filesIn(this.#root, this.#folder)
    const deleted = earlier.filter((file) => !this.#drafts.has(file))
    for (const [file, { outcomes, ...recording }] of this.#drafts) {
      // a call that has not ended with its case is one that nobody waited for
      const ended = outcomes.map((outcome): CallOutcome => outcome ?? { aborted: true })
      writeRecording(this.#root, { file, recording: { ...recording, outcomes: ended } })
    }
    deleteRecordings(this.#root, deleted)
    return { written: this.#drafts.size, deleted }
  }
}

/** Provider and id of a model. */
export function nameOf({ provider, modelId }: Pick<LoadedModel, 'provider' | 'modelId'>): string {
  return `${provider}/${modelId}`
}
