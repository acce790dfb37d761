import type { ApiClient } from '../../client/api.ts'
import type { PlannedCase } from '../../contract/endpoints/project/evals.ts'
import { targetName } from '../../contract/evals/case.ts'
import type { EvalToRun } from '../../evals/run/run-eval.ts'
import type { TraceStore } from '../../store/trace-store.ts'

/** An eval, without its cases. */
export interface ListedEval {
  readonly id: string
  /** JSON of the target of all cases; null when they have several. */
  readonly target: string | null
  readonly threshold: number
  readonly cases: number
}

/** An eval with its cases. */
export interface PlannedEval extends ListedEval {
  readonly planned: readonly PlannedCase[]
}

/** The evals of a project as its files are saved. */
export interface SavedEvals {
  /** @throws LoadError or AppError `invalid_config` when the code, an eval or a case is not valid. */
  list(): Promise<readonly PlannedEval[]>
  /** Loads the code. The traces of the cases go to this store. Throws as `list`. */
  open(traces: TraceStore | undefined): Promise<SavedCode>
  /** The git commit of the project. */
  commit(): string | null
}

/** An eval, and the server of its targets. */
export interface ServedEval {
  readonly client: ApiClient
  readonly served: EvalToRun
}

/** Code that was loaded to run its evals. */
export interface SavedCode {
  readonly planned: readonly EvalToRun[]
  /** Removes secrets from a value, and limits its size. */
  readonly redact: (value: unknown) => unknown
  /** Serves the code for the cases of an eval. In the returned one, cases whose target is missing are broken. */
  serve(one: EvalToRun): Promise<ServedEval>
  close(): Promise<void>
}

/** An eval as it is listed. */
export function listedEval({ id, threshold, cases }: EvalToRun): ListedEval {
  const targets = cases.flatMap((one) => ('broken' in one ? [] : one.case.target))
  const [first] = targets
  const isOne = first !== undefined && targets.every((target) => targetName(target) === targetName(first))
  return { id, target: isOne ? JSON.stringify(first) : null, threshold, cases: cases.length }
}

/** An eval as it is listed, with its cases: without secrets, and limited in size. */
export function plannedEval(one: EvalToRun, redact: (value: unknown) => unknown): PlannedEval {
  const planned = one.cases.map((each): PlannedCase => {
    if ('broken' in each)
      return { id: each.id, target: null, input: null, error: String(redact(each.broken)), scorers: [] }
    const { id, case: tested, scorers } = each
    const { target, input, expected } = tested
    return {
      id,
      target,
      input: redact(input),
      ...(expected !== undefined && { expected: redact(expected) }),
      error: null,
      scorers: scorers.map(({ name }) => name),
    }
  })
  return { ...listedEval(one), planned }
}
