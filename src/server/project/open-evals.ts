import type { ModelRecorder } from '../../agent/answer/model-recorder.ts'
import { createApiClient } from '../../client/api.ts'
import type { ApiClient } from '../../client/api.ts'
import type { Eval } from '../../evals/eval.ts'
import { loadEvals } from '../../evals/load-evals.ts'
import { Recordings } from '../../evals/recordings/recordings.ts'
import type { RecordingsOptions } from '../../evals/recordings/recordings.ts'
import { judgesOf, planEvals, withKnownTargets } from '../../evals/run/plan.ts'
import type { EvalToRun } from '../../evals/run/run-eval.ts'
import { AppError } from '../../lib/errors.ts'
import type { ScratchServer } from './scratch-server.ts'

export interface OpenEvalsOptions {
  /** Default: those that the files `*.eval.ts` of the project export. */
  readonly evals?: readonly Eval[] | undefined
  /** A glob of case files, from the project's directory. Default: every eval, and the files below `cases`. */
  readonly pattern: string | undefined
  /** Whether the answers of models are recorded or replayed. Default: neither. */
  readonly mode?: RecordingsOptions['mode'] | undefined
  /** Models in place of those of the agents, where answers are neither recorded nor replayed. */
  readonly models?: ModelRecorder | undefined
  /** Selects some of the cases. */
  readonly select?: ((evals: readonly EvalToRun[]) => Promise<readonly EvalToRun[]>) | undefined
}

/** Evals, and the server that runs their cases. */
export interface OpenEvals {
  readonly client: ApiClient
  readonly evals: readonly EvalToRun[]
  /** Set when answers of models are recorded or replayed. */
  readonly recordings: Recordings | undefined
}

/**
 * Reads the evals and cases of a project, and starts the server that runs them.
 *
 * @throws AppError `invalid_config` naming what is broken or missing; LoadError for a file of an eval.
 */
export async function openEvals(
  server: ScratchServer,
  { evals: given, pattern, mode, models, select = async (all) => all }: OpenEvalsOptions,
): Promise<OpenEvals> {
  const { root, fetch } = server
  const declared = given ?? (await loadEvals(root, (file) => server.importFile(file)))
  const planned = await planEvals({ root, evals: declared, pattern })
  if (planned.length === 0)
    throw new AppError('invalid_config', 'There are no cases', {
      hint: 'Write one: cases/<name>/<id>.json with { "target": …, "input": …, "expected": … }',
    })
  const selected = await select(planned)
  const recordings = mode && new Recordings(selected, { root, mode, fetch })
  await server.serve(judgesOf(planned), recordings ?? models)
  const client = createApiClient({ baseUrl: 'http://localhost', fetch })
  return { client, evals: await withKnownTargets(selected, client), recordings }
}
