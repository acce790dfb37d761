import { z } from 'zod'
import { Cost } from '../../agent-event.ts'
import { endpoints } from '../../endpoint.ts'
import { CaseTarget } from '../../evals/case.ts'
import { AfterQuery, Id, Instant, PageQuery, wholeNumber } from '../../fields.ts'
import { LoadFailure } from '../../load-failure.ts'
import { TraceId } from '../trace.ts'

/** Cases in one response. */
export const EVAL_CASES = 1000

export const EvalRunStatus = z.enum(['running', 'completed', 'failed', 'cancelled', 'interrupted'])
export type EvalRunStatus = z.infer<typeof EvalRunStatus>

export const EvalRun = z
  .object({
    id: z.string(),
    evalId: z.string().describe('`cases` for the case files without an eval'),
    status: EvalRunStatus.describe(
      '`completed`: all cases have ended, `failed`: the code or a case file could not be loaded, `interrupted`: its process ended',
    ),
    target: CaseTarget.nullable().describe('Target of all cases; null when they have several'),
    threshold: z.number().nullable().describe('Least mean score; null until the code is loaded'),
    score: z.number().nullable().describe('Mean score of the cases that have ended; null without any'),
    passed: z
      .boolean()
      .nullable()
      .describe('Whether the score is at least the threshold; null unless completed'),
    cases: z.int().nullable().describe('Number of cases; null until the code is loaded'),
    endedCases: z.int().describe('Number of cases that have ended'),
    failedCases: z.int().describe('Number of ended cases with a score below 1'),
    costUsd: Cost.describe('Cost of the cases in US dollars, without that of scorers; null when unknown'),
    startedAt: Instant,
    endedAt: Instant.nullable(),
    commit: z.string().nullable().describe('Checked-out git commit; null when unknown'),
    error: LoadFailure.nullable().describe('Why it failed'),
  })
  .meta({ id: 'EvalRun' })
export type EvalRun = z.infer<typeof EvalRun>

export const EvalSummary = z
  .object({
    id: z.string().describe('Id of the eval; `cases` for the case files without an eval'),
    target: EvalRun.shape.target,
    threshold: z.number().nullable(),
    cases: z.int().nullable().describe('Number of cases'),
    lastRun: EvalRun.nullable(),
    problem: LoadFailure.nullable().describe(
      'Why the evals as saved can not be run; the list then has those with runs, without target, threshold and cases',
    ),
  })
  .meta({ id: 'EvalSummary' })
export type EvalSummary = z.infer<typeof EvalSummary>

export const EvalCase = z
  .object({
    id: z.string().describe('Path of the case file, or id of the eval and the case'),
    position: z.int().describe('Place among the cases of the run, from 0'),
    target: CaseTarget.nullable().describe('Null when the case can not be read'),
    input: z.unknown(),
    output: z.unknown().optional(),
    expected: z.unknown().optional(),
    error: z.string().nullable().describe('Why there is no output or no score; the score is 0 then'),
    broken: z.literal(true).optional().describe('The case or a scorer is wrong, and not the output'),
    scores: z.array(
      z.object({
        name: z.string(),
        score: z.number(),
        reason: z.string().optional(),
        costUsd: Cost.optional().describe('What the scorer itself cost'),
        model: z.string().optional().describe('The model that has judged'),
      }),
    ),
    score: z.number().describe('Mean of the scores'),
    durationMs: z.number(),
    costUsd: Cost,
    traceId: TraceId.nullable(),
  })
  .meta({ id: 'EvalCase' })
export type EvalCase = z.infer<typeof EvalCase>

export const PlannedCase = EvalCase.pick({ id: true, target: true, input: true, expected: true })
  .extend({
    error: z.string().nullable().describe('Why the case cannot run'),
    scorers: z.array(z.string()).describe('Names of the scorers that judge the output'),
  })
  .meta({ id: 'PlannedCase' })
export type PlannedCase = z.infer<typeof PlannedCase>

export const EvalRunDetail = EvalRun.extend({
  results: z.array(EvalCase).describe('Cases that have ended, in the order of their ends'),
}).meta({ id: 'EvalRunDetail' })
export type EvalRunDetail = z.infer<typeof EvalRunDetail>

export const EvalRunEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('run-start'), run: EvalRun }),
    z.object({ type: z.literal('case-end'), case: EvalCase }),
    z.object({ type: z.literal('run-end'), run: EvalRun }),
  ])
  .meta({ id: 'EvalRunEvent' })
export type EvalRunEvent = z.infer<typeof EvalRunEvent>

const EvalParams = z.object({ id: Id.describe('Eval id') })
const RunParams = z.object({ runId: Id.describe('Run id') })

const common = { group: 'observability', tag: 'Evals' } as const

export const evalEndpoints = endpoints({
  listEvals: {
    ...common,
    method: 'GET',
    path: '/evals',
    lists: 'definitions',
    summary: 'Lists the evals of the code as saved, each with its last run',
    reply: { kind: 'data', schema: z.array(EvalSummary) },
    errors: [],
  },
  listEvalCases: {
    ...common,
    method: 'GET',
    path: '/evals/:id/cases',
    ofAllUsers: true,
    action: 'read',
    summary:
      'Lists the cases of an eval as saved, in the order of the positions in its runs; none while the code cannot be loaded',
    params: EvalParams,
    query: PageQuery.extend({ caseId: z.string().optional().describe('Only the case with this id') }),
    reply: { kind: 'data', schema: z.array(PlannedCase), paged: true },
    errors: [404],
  },
  listEvalRuns: {
    ...common,
    method: 'GET',
    path: '/evals/:id/runs',
    ofAllUsers: true,
    action: 'read',
    summary: 'Lists the runs of an eval, newest first',
    params: EvalParams,
    query: PageQuery,
    reply: { kind: 'data', schema: z.array(EvalRun), paged: true },
    errors: [404],
  },
  runEval: {
    ...common,
    method: 'POST',
    path: '/evals/:id/run',
    action: 'execute',
    summary: 'Starts a run of an eval with the code as saved',
    params: EvalParams,
    reply: { kind: 'data', schema: EvalRun, status: 202 },
    errors: [404, 409, 429],
  },
  getEvalRun: {
    ...common,
    method: 'GET',
    path: '/evals/runs/:runId',
    ofAllUsers: true,
    asksByRecord: true,
    summary:
      'Returns a run with its cases; with `Accept: text/event-stream`, streams what has ended and then what ends, until the run has ended',
    params: RunParams,
    query: z.object({
      limit: wholeNumber({ min: 1, max: EVAL_CASES })
        .optional()
        .describe(`Maximum number of cases; default ${EVAL_CASES}`),
      offset: PageQuery.shape.offset,
      after: AfterQuery.shape.after,
    }),
    reply: { kind: 'data', schema: EvalRunDetail, events: EvalRunEvent },
    errors: [404],
  },
  cancelEvalRun: {
    ...common,
    method: 'POST',
    path: '/evals/runs/:runId/cancel',
    asksByRecord: true,
    summary: 'Cancels a running run; the cases that have ended are kept',
    params: RunParams,
    reply: { kind: 'data', schema: EvalRun },
    errors: [404, 409],
  },
})
