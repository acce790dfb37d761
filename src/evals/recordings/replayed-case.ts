import type { LoadedModel } from '../../agent/models/load-model.ts'
import type { ModelChoice } from '../../agent/models/model-choice.ts'
import type { AnswerRecorder } from '../../agent/answer/model-recorder.ts'
import { ModelError } from '../../agent/models/model-error.ts'
import { differences } from '../cases/differences.ts'
import { callHash, callRecord } from './call-record.ts'
import type { ModelCallOptions } from './call-record.ts'
import type { CallOutcome } from './call-outcome.ts'
import { replayedModel } from './recorded-model.ts'
import { nameOf } from './recorded-case.ts'
import type { CaseCalls } from './recorded-case.ts'
import { recordingName } from './recording-file.ts'
import type { Recording, RecordingFile } from './recording-file.ts'

interface ReplayedFile extends RecordingFile {
  /** How many of the outcomes were used. */
  used: number
}

export interface ReplayedCaseOptions {
  readonly caseId: string
  /** The folder of the recordings, from the project's directory. */
  readonly folder: string
  readonly recordings: readonly RecordingFile[]
  /** Called when there is no recording for a call. */
  readonly onMissing: (problem: string) => void
}

/** Answers the model calls of a case with its recordings. */
export class ReplayedCase implements CaseCalls {
  readonly #options: ReplayedCaseOptions
  readonly #files: readonly ReplayedFile[]

  constructor(options: ReplayedCaseOptions) {
    this.#options = options
    this.#files = options.recordings.map((one) => ({ ...one, used: 0 }))
  }

  /** The files of which nothing was used. */
  get unused(): readonly string[] {
    return this.#files.filter(({ used }) => used === 0).map(({ file }) => file)
  }

  recorder(agentId: string): AnswerRecorder {
    return {
      replays: true,
      recordedModel: this.#modelOf(agentId),
      wrap: (loaded, { ai, redact }) => ({
        ...loaded,
        model: replayedModel(loaded.model, (options) => this.#next(agentId, loaded, { options, redact }), ai),
      }),
    }
  }

  #modelOf(agentId: string): ModelChoice | undefined {
    const model = this.#files.find(({ recording }) => recording.agent === agentId)?.recording.model
    if (model === undefined) return undefined
    const slash = model.indexOf('/')
    return { provider: model.slice(0, slash), modelId: model.slice(slash + 1), origin: 'demo' }
  }

  async #next(
    agent: string,
    loaded: LoadedModel,
    { options, redact }: { options: ModelCallOptions; redact: (text: string) => string },
  ): Promise<CallOutcome> {
    const call = callRecord(options, redact) as Recording['call']
    const wanted = { agent, model: nameOf(loaded), call }
    const name = recordingName(wanted)
    const found = this.#files.find(({ file }) => file.endsWith(`/${name}`))
    const outcome = found?.recording.outcomes[found.used]
    if (found && outcome) {
      found.used++
      return outcome
    }
    const { caseId, onMissing } = this.#options
    const problem = `${caseId}: ${found ? tooFew(found) : await this.#missing(wanted)}`
    onMissing(problem)
    throw new ModelError('unavailable', problem)
  }

  async #missing({ agent, model, call }: Omit<Recording, 'outcomes'>): Promise<string> {
    const ofAgent = this.#files.filter(({ recording }) => recording.agent === agent)
    const hash = callHash(call)
    const other = ofAgent.find((one) => callHash(one.recording.call) === hash)
    if (other)
      return `${other.file} is a recording of ${other.recording.model}, but agent "${agent}" calls ${model}`
    const file = `${this.#options.folder}/${recordingName({ agent, model, call })}`
    const problem = `the answer of ${model} to agent "${agent}" is not recorded: there is no ${file}`
    const similar = ofAgent.find(({ used }) => used === 0)
    const [difference] = similar ? await differences(similar.recording.call, call) : []
    if (!similar || !difference) return problem
    return `${problem}. The call is another one than in ${similar.file}, at ${difference.pointer}: ${difference.message}`
  }
}

function tooFew({ file, recording }: RecordingFile): string {
  const { length } = recording.outcomes
  return `${file} has ${length === 1 ? 'one answer' : `${length} answers`}, and the call was made again`
}
