import { CallCosts, StepPattern } from './usage.ts'
import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Instant, WorkflowParams } from '../fields.ts'

/** The number of days before today that durations of steps are from. */
export const USUAL_DAYS = 7

export const StepStatistics = z
  .object({
    step: StepPattern,
    runs: z.int().describe('Ended runs, each item and round of its own'),
    errors: z.int().describe('Those that failed, after their retries'),
    timed: z.int().describe('Completed runs with a duration: those that did not wait'),
    p50Ms: z.int().nullable().describe('Median duration of these, retries included; null without any'),
    p95Ms: z.int().nullable(),
    costs: CallCosts.nullable().describe('Model calls of the step; null without any'),
  })
  .meta({ id: 'StepStatistics' })
export type StepStatistics = z.infer<typeof StepStatistics>

export const WorkflowStatistics = z
  .object({
    from: Instant.describe(`Start of the day ${USUAL_DAYS} days ago, in UTC`),
    to: Instant,
    precision: z.number().describe('Largest relative error of durations, at least 1 ms'),
    steps: z.array(StepStatistics).describe('In the order of their paths'),
  })
  .meta({ id: 'WorkflowStatistics' })
export type WorkflowStatistics = z.infer<typeof WorkflowStatistics>

export const statisticsEndpoints = endpoints({
  getWorkflowStatistics: {
    method: 'GET',
    path: '/observability/workflows/:id/statistics',
    ofAllUsers: true,
    action: 'read',
    group: 'observability',
    tag: 'Observability',
    summary: `Returns durations, errors and costs of the steps of a workflow in the last ${USUAL_DAYS} days`,
    params: WorkflowParams,
    reply: { kind: 'data', schema: WorkflowStatistics },
    errors: [400, 404],
  },
})
