import { momentOf } from './recorded-steps.ts'
import type { CrashMoment, CrashPoint } from './recorded-steps.ts'
import { stepIdAt } from '../../contract/step-path.ts'

/** Where a run was crashed. */
export interface ProofCrash {
  /** The path of the recorded call, such as `ship/label`; empty for the end of the workflow. */
  readonly path: string
  /** When the process crashed. */
  readonly moment: CrashMoment
  /** The id of the workflow, for a call of a child execution. */
  readonly workflowId?: string
}

/** What a proof has found, at the first run that showed it. */
export interface ProofFinding {
  /** `null`: in the run without a crash. */
  readonly crash: ProofCrash | null
  /** The recorded call that it is about; empty for code outside of recorded calls. */
  readonly stepId: string
  /** What is wrong, and how to mend it. */
  readonly message: string
  /** The number of runs that showed it. */
  readonly runs: number
}

/** What `crashEveryStep` reports. A durable workflow has four empty lists. */
export interface ProofReport {
  /** How often the workflow ran: twice without a crash, and once for each point of a crash. */
  readonly runs: number
  /** Side effects that happened twice without the same idempotency key. */
  readonly repeatedWithoutKey: readonly ProofFinding[]
  /** Results that a crash changed. */
  readonly differentResults: readonly ProofFinding[]
  /** Runs that did not end. */
  readonly unfinished: readonly ProofFinding[]
  /** Recorded calls that a later pass of their function made under another id or in another order. */
  readonly unstableIds: readonly ProofFinding[]
}

export type FindingKind = Exclude<keyof ProofReport, 'runs'>

interface Finding {
  readonly point: CrashPoint | undefined
  readonly stepId: string
  readonly message: string
  /** Findings with the same subject are one. Default: the message. */
  readonly subject?: string
}

/** Collects what the runs show. */
export class Findings {
  readonly #lists = {
    repeatedWithoutKey: new Map<string, ProofFinding>(),
    differentResults: new Map<string, ProofFinding>(),
    unfinished: new Map<string, ProofFinding>(),
    unstableIds: new Map<string, ProofFinding>(),
  } as const satisfies Record<FindingKind, Map<string, ProofFinding>>
  readonly #rootId: string
  /** What the current run has shown. */
  #shown = new Set<string>()

  constructor(rootId: string) {
    this.#rootId = rootId
  }

  get count(): number {
    return Object.values(this.#lists).reduce((sum, { size }) => sum + size, 0)
  }

  beginRun(): void {
    this.#shown = new Set()
  }

  add(kind: FindingKind, { point, stepId, message, subject = message }: Finding): void {
    const list = this.#lists[kind]
    const key = JSON.stringify([stepId, subject])
    if (this.#shown.has(kind + key)) return
    this.#shown.add(kind + key)
    const known = list.get(key)
    const first = known ?? { crash: point ? this.#crashAt(point) : null, stepId, message }
    list.set(key, { ...first, runs: (known?.runs ?? 0) + 1 })
  }

  report(runs: number): ProofReport {
    const { repeatedWithoutKey, differentResults, unfinished, unstableIds } = this.#lists
    return {
      runs,
      repeatedWithoutKey: [...repeatedWithoutKey.values()],
      differentResults: [...differentResults.values()],
      unfinished: [...unfinished.values()],
      unstableIds: [...unstableIds.values()],
    }
  }

  #crashAt(point: CrashPoint): ProofCrash {
    const { path, execution } = point
    const workflowId = execution === this.#rootId ? {} : { workflowId: execution }
    return { path, moment: momentOf(point), ...workflowId }
  }
}

/** Where a run was crashed, in words: `during "charge"`. */
export function crashText({ path, moment, workflowId }: ProofCrash): string {
  const of = workflowId === undefined ? '' : ` of ${workflowId}`
  return path === '' ? `before the end${of}` : `${moment} "${stepIdAt(path)}"${of}`
}
