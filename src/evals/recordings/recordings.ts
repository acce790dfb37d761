import type { AnswerRecorder, ModelCaller, ModelRecorder } from '../../agent/answer/model-recorder.ts'
import { createApiClient } from '../../client/api.ts'
import type { ApiClient } from '../../client/api.ts'
import { randomHexGenerator } from '../../lib/ids.ts'
import { RecordedCase } from './recorded-case.ts'
import type { CaseCalls } from './recorded-case.ts'
import { deleteRecordings, filesIn, readRecordings, RECORDINGS, recordingsFolder } from './recording-file.ts'
import { ReplayedCase } from './replayed-case.ts'

export interface RecordingsOptions {
  /** The project's directory. */
  readonly root: string
  readonly mode: 'record' | 'replay'
  /** Sends the requests of the cases. */
  readonly fetch: (request: Request) => Promise<Response>
}

interface PlannedEval {
  readonly id: string
  readonly cases: readonly { readonly id: string }[]
}

/** A case while it runs. */
export interface OpenCase {
  /** The client with which the case must be run. */
  readonly client: ApiClient
  /** The case has ended, with all repetitions: its recordings are written. */
  close(hasFailed: boolean): void
}

/** Records what models answer to cases in files below `cases/.recordings`, or answers with these files. */
export class Recordings implements ModelRecorder {
  readonly #options: RecordingsOptions
  readonly #replayed = new Map<string, ReplayedCase>()
  readonly #folders: ReadonlySet<string>
  /** The cases by the traces of their requests: executions that waited for others keep theirs. */
  readonly #byTrace = new Map<string, CaseCalls>()
  readonly #randomHex = randomHexGenerator()
  readonly #missing = new Set<string>()
  readonly #deleted: string[] = []
  #written = 0

  /** @throws AppError `invalid_config` naming the file of a case that is not a recording; only with `replay`. */
  constructor(evals: readonly PlannedEval[], options: RecordingsOptions) {
    this.#options = options
    const { root, mode } = options
    const cases = evals.flatMap(({ id, cases: each }) =>
      each.map(({ id: caseId }) => ({ caseId, folder: recordingsFolder(id, caseId) })),
    )
    this.#folders = new Set(cases.map(({ folder }) => folder))
    if (mode === 'record') return
    for (const { caseId, folder } of cases) {
      const recordings = readRecordings(root, folder)
      const onMissing = (problem: string) => void this.#missing.add(problem)
      this.#replayed.set(folder, new ReplayedCase({ caseId, folder, recordings, onMissing }))
    }
  }

  get mode(): 'record' | 'replay' {
    return this.#options.mode
  }

  /** The calls for which there was no recording, one sentence each. */
  get missing(): readonly string[] {
    return [...this.#missing]
  }

  /** How many recordings were written. */
  get written(): number {
    return this.#written
  }

  /** The recordings that were deleted, since their cases did not make these calls. */
  get deleted(): readonly string[] {
    return this.#deleted
  }

  /** The recordings of the cases that were not used. */
  get unused(): readonly string[] {
    return [...this.#replayed.values()].flatMap(({ unused }) => unused)
  }

  /** The recordings of cases that are not among those that run. */
  get orphaned(): readonly string[] {
    const { root } = this.#options
    return filesIn(root, RECORDINGS, { recursive: true }).filter(
      (file) => !this.#folders.has(file.slice(0, file.lastIndexOf('/'))),
    )
  }

  /** Deletes the recordings of cases that are not among those that ran. Only after a run of all cases. */
  deleteOrphaned(): void {
    const { orphaned } = this
    deleteRecordings(this.#options.root, orphaned)
    this.#deleted.push(...orphaned)
  }

  of({ agentId, traceId }: ModelCaller): AnswerRecorder | undefined {
    return this.#byTrace.get(traceId)?.recorder(agentId)
  }

  newTrace(startedBy = ''): string | undefined {
    const calls = this.#byTrace.get(startedBy)
    return calls && this.#traceparentOf(calls)
  }

  #traceparentOf(calls: CaseCalls): string {
    const traceId = this.#randomHex(16)
    this.#byTrace.set(traceId, calls)
    return `00-${traceId}-${this.#randomHex(8)}-01`
  }

  /** Begins a case. */
  open(evalId: string, caseId: string): OpenCase {
    const { root } = this.#options
    const folder = recordingsFolder(evalId, caseId)
    const replayed = this.#replayed.get(folder)
    const recorded = replayed ? undefined : new RecordedCase(root, folder)
    const calls = (replayed ?? recorded) as CaseCalls
    const client = createApiClient({
      baseUrl: 'http://localhost',
      fetch: (request) => {
        // a request that only reads needs no trace
        if (request.method !== 'GET') request.headers.set('traceparent', this.#traceparentOf(calls))
        return this.#options.fetch(request)
      },
    })
    return {
      client,
      close: (hasFailed) => {
        for (const [traceId, of] of this.#byTrace) if (of === calls) this.#byTrace.delete(traceId)
        if (!recorded) return
        const { written, deleted } = recorded.write(hasFailed)
        this.#written += written
        this.#deleted.push(...deleted)
      },
    }
  }
}
