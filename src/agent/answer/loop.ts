import type * as Ai from 'ai'
import { AppError } from '../../lib/errors.ts'
import { toolNames } from '../agent-problems.ts'
import { modelProblems } from '../models/model-problems.ts'
import { chosenTool, toolNameProblems, toolSettingProblems } from '../loop-options.ts'
import type { NamedTools, PreparedStepInput, StepSettings, StopCondition } from '../loop-options.ts'
import type { ModelObject } from '../model-object.ts'
import type { ResolvedAgent } from '../resolve-agent.ts'
import type { CallSettings } from './call-settings.ts'
import type { GeneratedStep } from './generated.ts'
import type { StepModels } from './step-models.ts'

interface LoopDeps {
  readonly settings: CallSettings
  /** The steps before the answer waited. */
  readonly earlier: readonly GeneratedStep[]
  readonly tools: Ai.ToolSet
  readonly model: ModelObject
  /** The models of an agent with `prepareStep`. */
  readonly stepModels: StepModels | undefined
  /** Whether a sub-agent or a tool waits. */
  readonly isSuspended: () => boolean
}

/**
 * Checks the tools that a request names. It can choose only among those that the agent's `activeTools` allows.
 *
 * @throws AppError `invalid_input` naming the option and the tools of the agent.
 */
export async function assertRequestedTools(
  agent: ResolvedAgent,
  { toolChoice, activeTools }: NamedTools,
): Promise<void> {
  if (chosenTool(toolChoice) === undefined && activeTools === undefined) return
  await Promise.all(agent.toolSources.map((source) => source.ready()))
  const names = toolNames(agent)
  const allowed = agent.activeTools ? names.filter((name) => agent.activeTools?.includes(name)) : names
  const own = allowed.includes(chosenTool(agent.toolChoice) ?? '') ? agent.toolChoice : undefined
  const [problem] = toolNameProblems({ toolChoice: toolChoice ?? own, activeTools }, allowed)
  if (problem !== undefined) throw new AppError('invalid_input', `options.${problem}`)
}

/** The loop of model calls and tool calls of one answer. */
export interface AnswerLoop {
  /** Parameters of `generateText` and `streamText`. */
  readonly parameters: LoopParameters
  /** Whether a condition of the agent has ended it. */
  readonly isStopped: () => boolean
}

type LoopParameters = Pick<
  Parameters<typeof Ai.generateText>[0],
  'toolChoice' | 'activeTools' | 'stopWhen' | 'prepareStep'
>

/** @throws AppError `execution_failed` when the agent's `toolChoice` names a tool that it does not have now. */
export function answerLoop(agent: ResolvedAgent, deps: LoopDeps): AnswerLoop {
  const { settings, earlier, tools, stepModels, isSuspended } = deps
  const { prepareStep, stopWhen } = agent
  const toolChoice = settings.toolChoice ?? agent.toolChoice
  const activeTools = settings.activeTools ?? agent.activeTools
  assertTools(agent, { toolChoice, activeTools }, { tools, subject: `Agent "${agent.id}"` })
  const maxSteps = settings.maxSteps ?? agent.maxSteps
  const before = prepareStep || stopWhen ? earlier.map(sdkStep) : []
  let isStopped = false
  const parameters = {
    ...(toolChoice !== undefined && { toolChoice }),
    ...(activeTools !== undefined && { activeTools: [...activeTools] }),
    ...(stopWhen === undefined
      ? { stopWhen: ({ steps }: Steps) => isSuspended() || earlier.length + steps.length >= maxSteps }
      : {
          stopWhen: async ({ steps }: Steps) => {
            if (isSuspended()) return true
            const all = [...before, ...steps]
            isStopped = await isMet(agent, conditionsOf(stopWhen), all)
            return isStopped || all.length >= maxSteps
          },
        }),
    ...(prepareStep &&
      stepModels && {
        prepareStep: (step: SdkStep) => preparedStep(agent, { ...deps, stepModels, before, step }),
      }),
  }
  return { parameters, isStopped: () => isStopped }
}

interface Steps {
  readonly steps: readonly Ai.StepResult<Ai.ToolSet>[]
}

/** A step as the user's functions get it. */
type Step = PreparedStepInput['steps'][number]

function conditionsOf(stopWhen: StopCondition | readonly StopCondition[]): readonly StopCondition[] {
  return typeof stopWhen === 'function' ? [stopWhen] : stopWhen
}

async function isMet(
  agent: ResolvedAgent,
  conditions: readonly StopCondition[],
  steps: Step[],
): Promise<boolean> {
  const met = await call(agent, 'stopWhen', () =>
    Promise.all(conditions.map(async (condition) => condition({ steps }))),
  )
  return met.some(Boolean)
}

interface SdkStep extends Steps {
  readonly stepNumber: number
  readonly model: unknown
  readonly messages: Ai.ModelMessage[]
  /** Version 6 of the AI SDK lacks it. */
  readonly instructions?: unknown
}

async function preparedStep(
  agent: ResolvedAgent,
  {
    stepModels,
    before,
    step,
    tools,
    model: outer,
  }: LoopDeps & { readonly stepModels: StepModels; readonly before: readonly Step[]; readonly step: SdkStep },
): Promise<object> {
  const { instructions = agent.instructions } = step
  const input = {
    ...step,
    instructions,
    steps: [...before, ...step.steps],
    stepNumber: before.length + step.stepNumber,
  } as PreparedStepInput
  const prepared = await call(agent, 'prepareStep', async () => agent.prepareStep?.(input))
  const { model, system, instructions: own = system, ...settings } = prepared ?? {}
  const isChanged = model !== undefined && (model as unknown) !== step.model
  const subject = `The function "prepareStep" of agent "${agent.id}"`
  assertValid(agent, { ...settings, ...(isChanged && { model }) }, { tools, subject })
  await stepModels.choose(isChanged ? model : undefined)
  return {
    ...settings,
    // the name that both versions of the AI SDK know
    ...(own !== undefined && { system: own }),
    model: { ...outer, ...stepModels.identity },
  }
}

interface Checked {
  readonly tools: Ai.ToolSet
  /** The beginning of the message. */
  readonly subject: string
}

function assertValid(agent: ResolvedAgent, settings: StepSettings, { tools, subject }: Checked): void {
  const { model } = settings
  const [problem] = [...(model === undefined ? [] : modelProblems(model)), ...toolSettingProblems(settings)]
  if (problem !== undefined)
    throw new AppError('execution_failed', `${subject} returned an invalid value: ${problem}`)
  assertTools(agent, settings, { tools, subject })
}

/** Tools of connected servers and of functions may be missing: only a tool that must be called has to be there. */
function assertTools(
  { toolSources, perRequest, memory }: ResolvedAgent,
  { toolChoice, activeTools }: StepSettings,
  { tools, subject }: Checked,
): void {
  if (chosenTool(toolChoice) === undefined && activeTools === undefined) return
  // the tool of the working memory is missing where the user is not known
  const names = [...new Set([...Object.keys(tools), ...toolNames({ memory })])]
  const vary = toolSources.length > 0 || perRequest.includes('tools')
  const active = vary ? activeTools?.filter((name) => names.includes(name)) : activeTools
  const [problem] = toolNameProblems({ toolChoice, activeTools: active }, names)
  if (problem !== undefined) throw new AppError('execution_failed', `${subject}: ${problem}`)
}

async function call<Value>(
  agent: ResolvedAgent,
  option: 'prepareStep' | 'stopWhen',
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    throw new AppError('execution_failed', `The function "${option}" of agent "${agent.id}" failed`, {
      cause,
    })
  }
}

/** A step before the answer waited, as the AI SDK has it. */
function sdkStep({ text, reasoning, toolCalls, toolResults, usage, finishReason }: GeneratedStep): Step {
  const calls = toolCalls.map((one) => ({ type: 'tool-call' as const, ...one }))
  const inputOf = (id: string) => toolCalls.find(({ toolCallId }) => toolCallId === id)?.input
  const results = toolResults.map(({ toolCallId, toolName, output, error }) => {
    const result = { toolCallId, toolName, input: inputOf(toolCallId) }
    return error === undefined
      ? { type: 'tool-result' as const, ...result, output }
      : { type: 'tool-error' as const, ...result, error }
  })
  const step = {
    text,
    reasoningText: reasoning,
    finishReason,
    usage: Object.fromEntries(Object.entries(usage).map(([name, value]) => [name, value ?? undefined])),
    content: [...(text === '' ? [] : [{ type: 'text', text }]), ...calls, ...results],
    toolCalls: calls,
    toolResults: results.filter(({ type }) => type === 'tool-result'),
  }
  return step as unknown as Step
}
