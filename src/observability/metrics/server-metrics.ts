import type { EngineMeter, MeteredEvent } from '../../engine/engine-meter.ts'
import type { ModelCall } from '../../agent/models/model-call.ts'
import { NANO_DOLLARS, toNanoDollars } from '../../contract/usage/cost.ts'
import { ATTRIBUTE, OPERATION } from '../../contract/attributes.ts'
import { AppError } from '../../lib/errors.ts'
import { Counter, Histogram, renderMetric, withLabel } from '../../lib/telemetry/metrics.ts'
import type { MetricFamily } from '../../lib/telemetry/metrics.ts'
import { createGauges } from './gauges.ts'
import type { GaugeSources, UsedBudget } from './gauges.ts'

/** Histogram bounds in seconds, from fast steps and requests to slow models. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** Status labels by the type of the event that ends or suspends an execution. */
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

/** The metrics, in the order of the response. */
const createMetrics = () => ({
  started: new Counter({
    name: 'agentserver_executions_started_total',
    help: 'Executions that were created.',
    labels: ['workflow'],
  }),
  settled: new Counter({
    name: 'agentserver_executions_total',
    help: 'Executions that ended or were suspended, by status: completed, error, cancelled or suspended.',
    labels: ['workflow', 'status'],
  }),
  idsTaken: new Counter({
    name: 'agentserver_execution_id_conflicts_total',
    help: 'Executions that a schedule or code did not start, as something else had made the one that has their id.',
    labels: ['workflow'],
  }),
  misfits: new Counter({
    name: 'agentserver_executions_changed_code_total',
    help: 'Suspensions of executions whose record did not fit the changed code.',
    labels: ['workflow'],
  }),
  eventMisfits: new Counter({
    name: 'agentserver_event_misfits_total',
    help: 'Events that did not start a workflow, as their data did not suit it.',
    labels: ['workflow'],
  }),
  steps: new Counter({
    name: 'agentserver_steps_total',
    help: 'Attempts of steps that ended, by status: completed, error or skipped.',
    labels: ['workflow', 'type', 'status'],
  }),
  stepSeconds: new Histogram(
    {
      name: 'agentserver_step_duration_seconds',
      help: 'Duration of completed steps in seconds.',
      labels: ['workflow', 'type'],
    },
    SECONDS,
  ),
  runs: new Counter({
    name: 'agentserver_agent_runs_total',
    help: 'Agent runs that ended, by status: completed, error or aborted.',
    labels: ['agent', 'model', 'status'],
  }),
  tokens: new Counter({
    name: 'agentserver_agent_tokens_total',
    help: 'Tokens by type: input, output, and the parts of them cached_input and reasoning.',
    labels: ['agent', 'model', 'type'],
  }),
  cost: new Counter({
    name: 'agentserver_agent_cost_usd_total',
    help: 'Cost of model calls in US dollars. Calls of models without a price are not included.',
    unit: '{USD}',
    labels: ['agent', 'model'],
    parts: NANO_DOLLARS,
  }),
  budgetsExceeded: new Counter({
    name: 'agentserver_budget_exceeded_total',
    help: 'Model calls that a budget did not allow, by where the budget is declared. The run failed or went on with another model.',
    labels: ['declared_on', 'per'],
  }),
  requests: new Counter({
    name: 'agentserver_http_requests_total',
    help: 'HTTP requests by route pattern and response status.',
    labels: ['method', 'route', 'status'],
  }),
  requestSeconds: new Histogram(
    {
      name: 'agentserver_http_request_duration_seconds',
      help: 'Time until the response started in seconds. The duration of streams is not included.',
      labels: ['method', 'route'],
    },
    SECONDS,
  ),
  authFailures: new Counter({
    name: 'agentserver_auth_failures_total',
    help: 'Requests and WebSocket handshakes with credentials that are not valid.',
    labels: ['access'],
  }),
})

/** Bucket bounds of OpenTelemetry's GenAI conventions. */
const GEN_AI_TOKENS = Array.from({ length: 14 }, (_, index) => 4 ** index)
const GEN_AI_SECONDS = Array.from({ length: 14 }, (_, index) => 2 ** index / 100)

/** The metrics of OpenTelemetry's GenAI conventions, which are only exported: agents have their own for Prometheus. */
const createModelMetrics = () => ({
  tokens: new Histogram(
    {
      name: 'gen_ai.client.token.usage',
      help: 'Number of input and output tokens used.',
      unit: '{token}',
      labels: [...MODEL_CALL, 'gen_ai.token.type'],
    },
    GEN_AI_TOKENS,
  ),
  seconds: new Histogram(
    {
      name: 'gen_ai.client.operation.duration',
      help: 'GenAI operation duration.',
      unit: 's',
      labels: [...MODEL_CALL, ATTRIBUTE.errorType],
    },
    GEN_AI_SECONDS,
  ),
})

const MODEL_CALL = [ATTRIBUTE.operation, ATTRIBUTE.provider, ATTRIBUTE.requestModel, ATTRIBUTE.responseModel]

export interface FinishedRequest {
  readonly method: string
  /** The route pattern, not the path; `undefined` when no route matched. */
  readonly route: string | undefined
  readonly status: number
  readonly seconds: number
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export interface ServerMetricsOptions extends Omit<GaugeSources, 'budgets'> {
  /** Reads what is used of budgets. Default: there are none. */
  readonly readBudgets?: () => Promise<readonly UsedBudget[]>
  /** The label `machine` of scraped metrics. Default: none. */
  readonly machine?: () => string | undefined
}

/** Metrics of the server since its start. */
export class ServerMetrics implements EngineMeter {
  readonly #metrics = createMetrics()
  readonly #modelMetrics = createModelMetrics()
  readonly #scrapedGauges: () => MetricFamily[]
  readonly #exportedGauges: () => MetricFamily[]
  readonly #machine: () => string | undefined
  readonly #readBudgets: NonNullable<ServerMetricsOptions['readBudgets']>
  /** As they were read last. */
  #budgets: readonly UsedBudget[] = []

  constructor({ machine = () => undefined, readBudgets = async () => [], ...rest }: ServerMetricsOptions) {
    this.#machine = machine
    this.#readBudgets = readBudgets
    const sources = { ...rest, budgets: () => this.#budgets }
    // some gauges are about the time since they were read
    this.#scrapedGauges = createGauges(sources)
    this.#exportedGauges = createGauges(sources)
  }

  idTaken(workflowId: string): void {
    this.#metrics.idsTaken.add([workflowId])
  }

  eventMisfit(workflowId: string): void {
    this.#metrics.eventMisfits.add([workflowId])
  }

  execution(workflowId: string, { type, fields = {} }: MeteredEvent): void {
    if (type === 'workflow-start') return this.#metrics.started.add([workflowId])
    if (type === 'workflow-suspended' && fields['misfits'] !== undefined)
      this.#metrics.misfits.add([workflowId])
    const outcome = OUTCOMES[type]
    if (outcome !== undefined) return this.#metrics.settled.add([workflowId, outcome])
    const step = STEP_OUTCOMES[type]
    if (step === undefined) return
    const stepType = String(fields['stepType'])
    this.#metrics.steps.add([workflowId, stepType, step])
    if (type === 'step-complete')
      this.#metrics.stepSeconds.observe([workflowId, stepType], Number(fields['durationMs']) / 1000)
  }

  agentRun({ agentId, model, status, usage }: Parameters<EngineMeter['agentRun']>[0]): void {
    this.#metrics.runs.add([agentId, model, status])
    const types = {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cached_input: usage.cachedInputTokens,
      reasoning: usage.reasoningTokens,
    }
    if (usage.costUsd !== null && usage.costUsd > 0)
      this.#metrics.cost.add([agentId, model], toNanoDollars(usage.costUsd))
    for (const [type, count] of Object.entries(types))
      if (count !== null && count > 0) this.#metrics.tokens.add([agentId, model, type], count)
  }

  modelCall({ provider, modelId, responseModel = '', seconds, usage, errorType = '' }: ModelCall): void {
    const labels = [OPERATION.chat, provider, modelId, responseModel]
    this.#modelMetrics.seconds.observe([...labels, errorType], seconds)
    if (!usage) return
    const { inputTokens, outputTokens } = usage
    if (inputTokens !== null) this.#modelMetrics.tokens.observe([...labels, 'input'], inputTokens)
    if (outputTokens !== null) this.#modelMetrics.tokens.observe([...labels, 'output'], outputTokens)
  }

  budgetExceeded({ declaredOn, per }: Parameters<EngineMeter['budgetExceeded']>[0]): void {
    this.#metrics.budgetsExceeded.add([declaredOn, per])
  }

  request({ method, route = 'none', status, seconds }: FinishedRequest): void {
    const known = METHODS.has(method) ? method : 'other'
    this.#metrics.requests.add([known, route, String(status)])
    this.#metrics.requestSeconds.observe([known, route], seconds)
  }

  /** Counts a request with invalid credentials, by the credentials that its route requires. */
  authFailure(access: string): void {
    this.#metrics.authFailures.add([access])
  }

  /** Like `render`, with what is used of budgets now. While that can't be read, it is as it was read last. */
  async scrape(): Promise<string> {
    await this.#refresh()
    return this.render()
  }

  async #refresh(): Promise<void> {
    try {
      this.#budgets = await this.#readBudgets()
    } catch (error) {
      // the health of the database reports it
      if (!(error instanceof AppError)) throw error
    }
  }

  /** All metrics in the text format of Prometheus, version 0.0.4. */
  render(): string {
    const machine = this.#machine()
    const families = [...this.#counted(), ...this.#scrapedGauges()]
    const labelled =
      machine === undefined ? families : families.map((family) => withLabel(family, 'machine', machine))
    return labelled.map((family) => renderMetric(family)).join('')
  }

  /** All metrics for an export over OTLP. Labels without a value are empty; budgets are as they were at the export before. */
  readonly read = (): MetricFamily[] => {
    // a scrape fails with what is no outage
    this.#refresh().catch(() => undefined)
    return [
      ...Object.values(this.#modelMetrics).map((metric) => metric.read()),
      ...this.#counted(),
      ...this.#exportedGauges(),
    ]
  }

  #counted(): MetricFamily[] {
    return Object.values(this.#metrics).map((metric) => metric.read())
  }
}
