import type { Logger } from 'pino'
import type { Agent } from '../../agent/agent.ts'
import { recalledAnswer } from '../../agent/answer/journal/recorded-answer.ts'
import type { RecordedAnswer } from '../../agent/answer/journal/recorded-answer.ts'
import { NO_USAGE } from '../../agent/answer/usage.ts'
import { resolveAgent } from '../../agent/resolve-agent.ts'
import { subAgentToolName } from '../../agent/sub-agent.ts'
import { validateClientOutput, validateInput } from '../../agent/tools/call-tool.ts'
import type { Tool } from '../../agent/tools/tool.ts'
import type { Approvers } from '../../contract/access/callers.ts'
import { byWhom, Decision } from '../../contract/access/decision.ts'
import type { Decider } from '../../contract/access/decision.ts'
import type { ExecutionError } from '../../contract/event.ts'
import { ANSWER_STEP, isNestedIn } from '../../contract/step-path.ts'
import { AppError } from '../../lib/errors.ts'
import { readCallerSchema } from '../../lib/schema/caller-schema.ts'
import type { Schema } from '../../lib/schema/schema.ts'
import type { AgentRunRow } from '../../store/agent-store.ts'
import type { ApprovalRow } from '../../store/agents/agent-approvals.ts'
import type { StepRow } from '../../store/execution-store.ts'
import type { Store } from '../../store/store.ts'
import { toolCallPath } from '../run/steps/agent-calls.ts'
import { agentInput, answersObject } from './continuation.ts'
import type { AnswerFacts } from './continuation.ts'
import { continuationOf } from './durable/earlier-answer.ts'
import { decidedBy, readDecision } from './responses/recorded-decision.ts'
import type { CallResponse } from './responses/recorded-decision.ts'
import {
  approvalsOfAnswer,
  toolsWithin,
  ownerOfAnswer,
  requireOwnAnswer,
} from './responses/answer-responses.ts'

/** From where an answer is replayed, and what is different then. */
export interface AnswerReplay {
  /** `model-2` or `tool-<toolCallId>`, or the path of the call. */
  readonly stepId: string
  /** Replaces those of the agent in the calls of the model from there on. */
  readonly instructions?: string | undefined
  /** Replaces the arguments of the tool call. */
  readonly input?: unknown
  /** Replaces the result of the tool call, which is not made. */
  readonly output?: unknown
  /** The tools before whose calls it waits; `*`: all. */
  readonly pauseAt?: readonly string[] | undefined
}

/** A call of the model, as it is recorded. */
interface ModelCall {
  readonly number: number
  readonly row: StepRow
  readonly answer: RecordedAnswer
  readonly toolCalls: readonly RecordedToolCall[]
}

interface RecordedToolCall {
  readonly id: string
  readonly name: string
  readonly path: string
  /** JSON text. */
  readonly input: string
}

/** What a tool call got that was not made, or was made with other arguments than those of the model. */
export interface GivenToCall {
  readonly toolCallId: string
  readonly response: CallResponse
}

/** The record of an answer. */
interface ReplayableAnswer {
  readonly steps: readonly StepRow[]
  readonly facts: AnswerFacts
  /** What its calls got that it waited for. */
  readonly given: readonly GivenToCall[]
}

/** What a replay has of the answer that it begins with. */
export interface CopiedCalls {
  /** The id of the call from which it continues. */
  readonly stepId: string
  readonly rows: readonly StepRow[]
  /** The calls of the model among them. */
  readonly answers: number
  /** The ids of the tool calls among them. */
  readonly toolCalls: ReadonlySet<string>
  /** The ids of all tool calls of the answer; those of its sub-agents have others. */
  readonly own: ReadonlySet<string>
}

/**
 * The recorded calls of an answer before the one from which it is replayed.
 *
 * @throws AppError `invalid_input` when the answer has no such call, or what replaces its arguments or result does not fit.
 */
export async function copyCalls(
  agent: Agent,
  { steps: recorded, facts, given }: ReplayableAnswer,
  replay: AnswerReplay,
): Promise<CopiedCalls> {
  const steps = withGiven(recorded, given)
  const models = modelCalls(steps)
  const place = placeOf(models, replay.stepId)
  const { model, toolCall } = place
  const isChanged = 'input' in replay || 'output' in replay
  if (!toolCall) {
    if (isChanged)
      throw new AppError(
        'invalid_input',
        `${'input' in replay ? 'input' : 'output'}: "${place.stepId}" is a call of the model; name a tool call`,
      )
    return copied(place.stepId, steps, { models, count: model - 1 })
  }
  if ('input' in replay && 'output' in replay)
    throw new AppError('invalid_input', 'input: a call with an output is not made; leave one of them out')
  const before = copied(place.stepId, steps, { models, count: model, without: toolCall })
  if (!isChanged) return before
  const called = await calledTool(agent, toolCall, facts)
  const { row, answer } = models[model - 1] as ModelCall
  if ('output' in replay) {
    const output = await recordedOutput(called, replay.output)
    return { ...before, rows: [...before.rows, withOutput(toolCall, output, row)] }
  }
  if (called) await validateInput(called, replay.input, 'input')
  const edited = { ...row, output: JSON.stringify(withInput(answer, toolCall.id, replay.input)) }
  return { ...before, rows: before.rows.map((one) => (one === row ? edited : one)) }
}

/** The calls of the model in an answer, in their order. */
function modelCalls(steps: readonly StepRow[]): ModelCall[] {
  const byPath = new Map(steps.map((row) => [row.path, row]))
  const models: ModelCall[] = []
  for (let number = 1; ; number++) {
    const row = byPath.get(`${ANSWER_STEP}/model-${number}`)
    if (row?.status !== 'completed' || row.output === null) return models
    const answer = recalledAnswer(JSON.parse(row.output))
    const toolCalls = answer.content.flatMap((part) => {
      if (part.type !== 'tool-call') return []
      const id = String(part['toolCallId'])
      const call = { id, name: String(part['toolName']), input: String(part['input']) }
      return [{ ...call, path: toolCallPath(ANSWER_STEP, id) }]
    })
    models.push({ number, row, answer, toolCalls })
  }
}

interface Place {
  readonly stepId: string
  /** The number of the model's call: from it on, or the one that requested the tool call. */
  readonly model: number
  readonly toolCall?: RecordedToolCall
}

function placeOf(models: readonly ModelCall[], stepId: string): Place {
  const id = stepId.startsWith(`${ANSWER_STEP}/`) ? stepId.slice(ANSWER_STEP.length + 1) : stepId
  // one that failed has no answer, and is the last
  const last = models.at(-1)
  const count = !last || last.toolCalls.length > 0 ? models.length + 1 : models.length
  for (let number = 1; number <= count; number++)
    if (id === `model-${number}`) return { stepId: id, model: number }
  for (const { number, toolCalls } of models) {
    const toolCall = toolCalls.find((one) => `tool-${one.id}` === id || one.path === `${ANSWER_STEP}/${id}`)
    if (toolCall) return { stepId: id, model: number, toolCall }
  }
  const known = models.flatMap(({ number, toolCalls }) => [
    `model-${number}`,
    ...toolCalls.map((one) => `tool-${one.id}`),
  ])
  if (count > models.length) known.push(`model-${count}`)
  throw new AppError(
    'invalid_input',
    `stepId: the answer has made no call "${stepId}"; its calls are ${known.join(', ')}`,
  )
}

interface Copying {
  /** All calls of the model. */
  readonly models: readonly ModelCall[]
  /** How many of them are copied. */
  readonly count: number
  /** A tool call that is not. */
  readonly without?: RecordedToolCall
}

function copied(
  stepId: string,
  steps: readonly StepRow[],
  { models: all, count, without }: Copying,
): CopiedCalls {
  const models = all.slice(0, count)
  const calls = models.flatMap(({ toolCalls }) => toolCalls).filter((one) => one !== without)
  const paths = [...models.map(({ row }) => row.path), ...calls.map(({ path }) => path)]
  const ended = new Set(
    steps.flatMap(({ path, status }) => (status === 'completed' || status === 'error' ? [path] : [])),
  )
  const rows = steps.filter(({ path }) =>
    paths.some((one) => ended.has(one) && (path === one || isNestedIn(path, one))),
  )
  const toolCalls = new Set(calls.flatMap(({ id, path }) => (ended.has(path) ? [id] : [])))
  const own = new Set(all.flatMap((one) => one.toolCalls.map(({ id }) => id)))
  return { stepId, rows, answers: models.length, toolCalls, own }
}

/** The tool of a call; `undefined` for a sub-agent. */
async function calledTool(
  agent: Agent,
  { name }: RecordedToolCall,
  facts: AnswerFacts,
): Promise<Tool | undefined> {
  if (agent.subAgents.some((one) => subAgentToolName(one) === name)) return undefined
  const resolved = await resolveAgent(agent, agentInput(facts), new AbortController().signal)
  await Promise.all(resolved.toolSources.map((source) => source.ready()))
  const tool = resolved.tools.find((one) => one.name === name)
  if (tool) return tool
  throw new AppError('conflict', `Tool "${name}" was removed since agent "${agent.id}" called it`)
}

/** A result as it is recorded: that of a sub-agent has its usage. */
async function recordedOutput(tool: Tool | undefined, output: unknown): Promise<unknown> {
  if (tool) {
    await validateClientOutput(tool, output, 'output')
    return output
  }
  if (typeof output === 'string') return { text: output, usage: NO_USAGE }
  throw new AppError('invalid_input', 'output: the result of a sub-agent is a text')
}

/** The row of a tool call with this output, which was requested by a call of the model. */
function withOutput({ path, name, input }: RecordedToolCall, output: unknown, model: StepRow): StepRow {
  const stepId = path.slice(ANSWER_STEP.length + 1)
  return { ...model, path, stepId, name, input, output: JSON.stringify(output) ?? null }
}

function withError(call: RecordedToolCall, message: string, model: StepRow): StepRow {
  // with a code the message is one for the model
  const error = JSON.stringify({ name: 'AppError', message, code: 'forbidden' } satisfies ExecutionError)
  return { ...withOutput(call, null, model), status: 'error', output: null, error }
}

/**
 * The steps of an answer as if it had not waited: what its calls got is in the record of waiting answers. A denial and the
 * output of a client's tool become the outcome of the call, edited arguments those that the model chose.
 */
function withGiven(steps: readonly StepRow[], given: readonly GivenToCall[]): readonly StepRow[] {
  if (given.length === 0) return steps
  const responses = new Map(given.map(({ toolCallId, response }) => [toolCallId, response]))
  const made = new Set(steps.map(({ path }) => path))
  const edited = new Map<StepRow, StepRow>()
  const settled: StepRow[] = []
  for (const { row, answer, toolCalls } of modelCalls(steps)) {
    let changed = answer
    for (const call of toolCalls) {
      const response = responses.get(call.id)
      if (!response) continue
      const outcome = made.has(call.path) ? undefined : outcomeOf(call, response, row)
      if (outcome) settled.push(outcome)
      if ('approvalId' in response && response.approved && response.input !== undefined)
        changed = withInput(changed, call.id, response.input)
    }
    if (changed !== answer) edited.set(row, { ...row, output: JSON.stringify(changed) })
  }
  return [...steps.map((row) => edited.get(row) ?? row), ...settled]
}

/** The outcome that a response is, of a call that was not made. */
function outcomeOf(call: RecordedToolCall, response: CallResponse, model: StepRow): StepRow | undefined {
  if (!('approvalId' in response))
    return response.errorText === undefined
      ? withOutput(call, response.output, model)
      : withError(call, response.errorText, model)
  return response.approved ? undefined : withError(call, response.reason ?? 'Denied', model)
}

function withInput(answer: RecordedAnswer, toolCallId: string, input: unknown): RecordedAnswer {
  const content = answer.content.map((part) =>
    part.type === 'tool-call' && part['toolCallId'] === toolCallId
      ? { ...part, input: JSON.stringify(input) }
      : part,
  )
  return { ...answer, content }
}

interface ReplayDeps {
  readonly store: Store
  readonly logger: Logger
  /** The recorded steps of an answer; `undefined` if it has none. */
  readonly stepsOf: (id: string) => Promise<readonly StepRow[] | undefined>
}

/** What the replay of a run begins with. */
interface ReplayedAnswer {
  readonly row: AgentRunRow
  readonly facts: AnswerFacts
  readonly calls: CopiedCalls
  readonly schema: Schema | undefined
  readonly isObject: boolean
}

/**
 * A run that somebody may replay. One that begins behind the approval of a call decides about that again.
 *
 * @throws AppError what the decider's rules throw; `not_found`, `conflict`, and `invalid_input` as `copyCalls`.
 */
export async function replayedAnswer(
  agent: Agent,
  { runId, decider, ...replay }: AnswerReplay & { readonly runId: string; readonly decider: Decider },
  { store, logger, stepsOf }: ReplayDeps,
): Promise<ReplayedAnswer> {
  const [row] = await store.agentRuns.list({ id: runId, agentId: agent.id }, { limit: 1, offset: 0 })
  const stored = await continuationOf(store.agentRuns, runId)
  const owner = row && ownerOfAnswer(row, stored)
  const subject = { kind: 'run', agentId: agent.id, run: { id: runId, owner } } as const
  const decision = await Decision.decide(decider, subject)
  requireOwnAnswer(row, { runId, isReader: true, isStreamed: false })
  if (row.status === 'running')
    throw new AppError('conflict', `Run ${runId} has not ended: wait for its end, or cancel it`)
  const steps = stored && (await stepsOf(runId))
  if (!stored || !steps)
    throw new AppError(
      'conflict',
      `The calls of run ${runId} are not recorded, so that it can't be replayed`,
      {
        hint: 'Set resumable: true of the agent, or in the options of the request',
      },
    )
  const { waiting: _, counted: _counted, ...facts } = stored
  const isObject = answersObject(facts)
  const delivery = isObject ? 'object' : 'text'
  const { instructions = facts.instructions, pauseAt } = replay
  const changed: AnswerFacts = {
    ...facts,
    runningMessages: null,
    delivery,
    // there is no client that executes them
    waits: { ...facts.waits, clientTools: false },
    options: { ...facts.options, pauseAt: pauseAt && [...pauseAt] },
    ...(instructions !== undefined && { instructions }),
  }
  const decided = await approvalsOfAnswer(store, runId)
  const calls = await copyCalls(agent, { steps, facts: changed, given: givenTo(decided) }, replay)
  const approvers = await approversOfCalls(agent, changed, { calls, decided })
  if (approvers.length > 0) await decider.check({ ...subject, run: { id: runId, owner, approvers } })
  const { userId, by, over } = decision
  const bindings = { runId, agentId: agent.id, stepId: calls.stepId, traceId: row.traceId }
  logger.info({ ...bindings, ...decidedBy(decision) }, `Run replayed${byWhom(userId, by, over)}`)
  const schema = facts.schema === null ? undefined : readCallerSchema(facts.schema)
  return { row, facts: changed, calls, schema, isObject }
}

/** What calls of a run got. The answer to a form is a part of the call, whose outcome is recorded. */
function givenTo(rows: readonly ApprovalRow[]): GivenToCall[] {
  return rows.flatMap(({ kind, toolCallId, decision }) =>
    decision === null || kind === 'elicitation'
      ? []
      : [{ toolCallId, response: readDecision(decision).response }],
  )
}

/** The row of a replay, without what is new in it. It is deleted with the conversation of the original. */
export function replayRow(
  row: AgentRunRow,
  forkedFrom: { readonly runId: string; readonly stepId: string },
): AgentRunRow {
  const options = JSON.parse(row.options ?? '{}') as object
  return {
    ...row,
    status: 'running',
    endedAt: null,
    output: null,
    error: null,
    usage: null,
    steps: null,
    expiresAt: null,
    blockedReason: null,
    options: JSON.stringify({ ...options, forkedFrom }),
  }
}

/**
 * Who approves the copied calls of a run that it has waited for, as far as their tools declare it today. Of sub-agents that it
 * has asked, all that they have waited for.
 */
async function approversOfCalls(
  agent: Agent,
  facts: AnswerFacts,
  { calls, decided }: { readonly calls: CopiedCalls; readonly decided: readonly ApprovalRow[] },
): Promise<Approvers[]> {
  const isCopied = (id: string) => calls.toolCalls.has(id) || !calls.own.has(id)
  const names = new Set(
    decided.flatMap(({ kind, toolCallId, toolName }) =>
      kind === 'tool' && isCopied(toolCallId) ? [toolName] : [],
    ),
  )
  if (names.size === 0) return []
  const tools = await toolsWithin(agent, agentInput(facts))
  return tools.flatMap(({ name, access }) => (names.has(name) ? (access?.approvedBy ?? []) : []))
}
