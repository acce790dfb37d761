import { columnsOf, jsonText } from './moved-part.ts'
import type { MovedPart } from './moved-part.ts'

const RUNS: MovedPart = {
  name: 'eval_runs',
  columns: [
    ...columnsOf('bigint', 'number'),
    ...columnsOf('text', 'id', 'eval_id', 'status', 'commit_id', 'target', 'error'),
    ...columnsOf('bigint', 'started_at', 'ended_at', 'cases', 'ended_cases', 'failed_cases', 'cost_nano'),
    ...columnsOf('float8', 'threshold', 'score_sum'),
    ...columnsOf('bigint', 'owner_epoch'),
  ],
  source: { select: '*', from: 'eval_runs', key: 'number', size: '300' },
  convert: (row) => [
    row['number'] ?? 0,
    ...['id', 'eval_id', 'status', 'commit_id', 'target', 'error'].map((name) => jsonText(row[name])),
    ...['started_at', 'ended_at', 'cases', 'ended_cases', 'failed_cases', 'cost_nano'].map(
      (name) => row[name] ?? null,
    ),
    ...['threshold', 'score_sum'].map((name) => row[name] ?? null),
    // of no machine that is alive
    0,
  ],
}

const CASES: MovedPart = {
  name: 'eval_cases',
  columns: [...columnsOf('bigint', 'number', 'run', 'position'), ...columnsOf('text', 'result')],
  source: { select: '*', from: 'eval_cases', key: 'number', size: 'length(result)' },
  convert: ({ number = 0, run = 0, position = 0, result }) => [number, run, position, jsonText(result)],
}

/** Runs of evals, and their cases. */
export const EVAL_PARTS: readonly MovedPart[] = [RUNS, CASES]
