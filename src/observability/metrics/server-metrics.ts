import type { EngineMeter, MeteredEvent } from '../../engine/engine-meter.ts'
import { Counter, Histogram } from '../../lib/telemetry/metrics.ts'
import { gauges } from './gauges.ts'
import type { GaugeSources } from './gauges.ts'

/** Seconds, from what is quick for a step or request to what is slow for a model. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** How an execution came to rest, by the event that tells it. */
const OUTCOMES: Readonly<Record<string, string>> = {
  'workflow-complete': 'completed',
  'workflow-error': 'error',
  'workflow-cancelled': 'cancelled',
  'workflow-suspended': 'suspended',
}

const STEP_OUTCOMES: Readonly<Record<string, string>> = {
  'step-complete': 'completed',
  'step-error': 'error',
  'step-skipped': 'skipped',
}

/** What is counted, in the order in which it is told. */
const counted = () => ({
  started: new Counter({
    name: 'agentserver_executions_started_total',
    help: 'Executions that were created.',
    labels: ['workflow'],
  }),
  rested: new Counter({
    name: 'agentserver_executions_total',
    help: 'Executions that came to rest, by how: completed, error, cancelled or suspended.',
    labels: ['workflow', 'status'],
  }),
  steps: new Counter({
    name: 'agentserver_steps_total',
    help: 'Attempts of steps that ended, by how: completed, error or skipped.',
    labels: ['workflow', 'type', 'status'],
  }),
  stepSeconds: new Histogram(
    {
      name: 'agentserver_step_duration_seconds',
      help: 'How long steps took that completed.',
      labels: ['workflow', 'type'],
    },
    SECONDS,
  ),
  runs: new Counter({
    name: 'agentserver_agent_runs_total',
    help: 'Answers of agents, by how they ended: completed, error or aborted.',
    labels: ['agent', 'model', 'status'],
  }),
  tokens: new Counter({
    name: 'agentserver_agent_tokens_total',
    help: 'Tokens that models counted, by type: input, output, and of these cached_input and reasoning.',
    labels: ['agent', 'model', 'type'],
  }),
  requests: new Counter({
    name: 'agentserver_http_requests_total',
    help: 'HTTP requests that were answered, by the pattern of their route.',
    labels: ['method', 'route', 'status'],
  }),
  requestSeconds: new Histogram(
    {
      name: 'agentserver_http_request_duration_seconds',
      help: 'How long it took until an answer began; streams go on.',
      labels: ['method', 'route'],
    },
    SECONDS,
  ),
})

export interface AnsweredRequest {
  readonly method: string
  /** The pattern of the route, never the path; `undefined` where there is none. */
  readonly route: string | undefined
  readonly status: number
  readonly seconds: number
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Counts what the server does since its start. */
export class ServerMetrics implements EngineMeter {
  readonly #counted = counted()
  readonly #gauges: () => string

  constructor(sources: GaugeSources) {
    this.#gauges = gauges(sources)
  }

  execution(workflowId: string, { type, fields = {} }: MeteredEvent): void {
    if (type === 'workflow-start') return this.#counted.started.add([workflowId])
    const outcome = OUTCOMES[type]
    if (outcome !== undefined) return this.#counted.rested.add([workflowId, outcome])
    const step = STEP_OUTCOMES[type]
    if (step === undefined) return
    const stepType = String(fields['stepType'])
    this.#counted.steps.add([workflowId, stepType, step])
    if (type === 'step-complete')
      this.#counted.stepSeconds.observe([workflowId, stepType], Number(fields['durationMs']) / 1000)
  }

  agentRun({ agentId, model, status, usage }: Parameters<EngineMeter['agentRun']>[0]): void {
    this.#counted.runs.add([agentId, model, status])
    const types = {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cached_input: usage.cachedInputTokens,
      reasoning: usage.reasoningTokens,
    }
    for (const [type, count] of Object.entries(types))
      if (count > 0) this.#counted.tokens.add([agentId, model, type], count)
  }

  request({ method, route = 'none', status, seconds }: AnsweredRequest): void {
    const known = METHODS.has(method) ? method : 'other'
    this.#counted.requests.add([known, route, String(status)])
    this.#counted.requestSeconds.observe([known, route], seconds)
  }

  /** Everything in the text format of Prometheus, version 0.0.4. */
  render(): string {
    return [...Object.values(this.#counted).map((metric) => metric.render()), this.#gauges()].join('')
  }
}
