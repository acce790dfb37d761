/** The columns of a run, with the names of its row. Quoted, since Postgres folds names to lower case. */
export const EVAL_RUN_COLUMNS = [
  'id',
  'eval_id AS "evalId"',
  'status',
  'owner_epoch AS "ownerEpoch"',
  'started_at AS "startedAt"',
  'ended_at AS "endedAt"',
  'commit_id AS "commit"',
  'target',
  'threshold',
  'cases',
  'ended_cases AS "endedCases"',
  'failed_cases AS "failedCases"',
  'score_sum AS "scoreSum"',
  'cost_nano AS "costNano"',
  'error',
].join(', ')
