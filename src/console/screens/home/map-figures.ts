import type { CallCosts } from '../../../contract/endpoints/usage.ts'
import type { DataOf } from '../../api/call.ts'
import { durationBetween } from '../../ui/time/format-time.ts'

/** What is known of the recent runs of a node. */
export interface Figures {
  /** The runs that are counted. */
  readonly recent: number
  readonly running: number
  /** The page of the one that runs; undefined when several run. */
  readonly run: string | undefined
  /** Median duration of the newest completed ones, in milliseconds; undefined without any. */
  readonly p50Ms: number | undefined
  /** Part of those that ended which failed, from 0 to 1. */
  readonly failed: number
  /** In US dollars, in the last 24 hours, as far as known. */
  readonly costUsd: number
}

export interface FigureData {
  readonly workflows: DataOf<'listWorkflowActivity'> | undefined
  readonly agents: DataOf<'listAgentActivity'> | undefined
  readonly tools: DataOf<'listToolActivity'> | undefined
  readonly costs: DataOf<'getCosts'> | undefined
}

interface Run {
  readonly status: string
  readonly durationMs: number | null
  readonly page: string
}

/** The figures of the nodes of the map, by their ids. */
export function figuresOf({ workflows, agents, tools, costs }: FigureData): ReadonlyMap<string, Figures> {
  const cost = new Map([
    ...(costs?.workflows ?? [])
      .filter(({ trial }) => trial !== true)
      .map(({ workflowId, ...sums }) => costOf(`workflow:${workflowId}`, sums)),
    ...(costs?.agents ?? []).map(({ agentId, ...sums }) => costOf(`agent:${agentId}`, sums)),
  ])
  const figures = (id: string, runs: readonly Run[], counts: Readonly<Record<string, number>>) =>
    [id, figuresOfRuns(runs, counts, cost.get(id) ?? 0)] as const
  return new Map([
    ...(workflows ?? []).map(({ workflowId, runs, recent }) =>
      figures(
        `workflow:${workflowId}`,
        runs.map(({ executionId, status, createdAt, endedAt }) => ({
          status,
          durationMs: durationBetween(createdAt, endedAt),
          page: `executions/${encodeURIComponent(executionId)}`,
        })),
        recent,
      ),
    ),
    ...(agents ?? []).map(({ agentId, runs }) =>
      figures(
        `agent:${agentId}`,
        runs.map(({ status, startedAt, endedAt, traceId }) => ({
          status,
          durationMs: durationBetween(startedAt, endedAt),
          page: `traces/${traceId}`,
        })),
        countsOf(runs),
      ),
    ),
    ...(tools ?? []).map(({ toolName, runs }) =>
      figures(
        `tool:${toolName}`,
        runs.map(({ status, durationMs, traceId }) => ({ status, durationMs, page: `traces/${traceId}` })),
        countsOf(runs),
      ),
    ),
  ])
}

function costOf(id: string, { knownCostUsd }: CallCosts): readonly [string, number] {
  return [id, knownCostUsd]
}

function countsOf(runs: readonly { readonly status: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { status } of runs) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

function figuresOfRuns(
  runs: readonly Run[],
  counts: Readonly<Record<string, number>>,
  costUsd: number,
): Figures {
  const { running = 0, completed = 0, error = 0 } = counts
  const only = running === 1 ? runs.find(({ status }) => status === 'running') : undefined
  const ended = completed + error
  return {
    recent: Object.values(counts).reduce((sum, count) => sum + count, 0),
    running,
    run: only?.page,
    p50Ms: median(runs.flatMap((run) => (run.status === 'completed' ? (run.durationMs ?? []) : []))),
    failed: ended === 0 ? 0 : error / ended,
    costUsd,
  }
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]
}
