import { createHash } from 'node:crypto'
import type { Agent } from '../agent/agent.ts'
import { includes } from '../contract/access/callers.ts'
import type { Callers } from '../contract/access/callers.ts'
import { WAIT_TYPES } from '../contract/status.ts'
import type { StepType } from '../contract/status.ts'
import { LOOPS, declaredPath, isInRound, outerPath } from '../contract/step-path.ts'
import { AppError } from '../lib/errors.ts'
import { compileSchema } from '../lib/schema/schema.ts'
import type { CompiledSchema, Schema } from '../lib/schema/schema.ts'
import type { FinalStatus } from '../contract/is-final.ts'
import type { ExecutionRow } from '../store/execution-store.ts'
import { agentIdIn, answersId, answersOf } from './agents/answer-workflow.ts'
import { queueRules } from './queue/queue-rules.ts'
import type { QueueRules } from './queue/queue-rules.ts'
import { nameOfEvent } from '../step/define-event.ts'
import type { EventTrigger } from '../workflow/event-triggers.ts'
import { placedSteps, stepsIn } from '../workflow/rules.ts'
import type { PlacedStep } from '../workflow/rules.ts'
import type { StepDefinition, WorkflowDefinition } from '../workflow/definition.ts'
import { hooksOf } from '../workflow/hooks.ts'
import type { ConfigHooks, Hook } from '../workflow/hooks.ts'
import type { Schedule } from '../workflow/schedule/schedule.ts'
import { formerIds } from '../workflow/step.ts'
import { usedAgents } from '../workflow/used-agents.ts'
import { withChildren } from '../workflow/with-children.ts'

export interface StepSchemas {
  readonly input?: CompiledSchema
  readonly output?: CompiledSchema
  readonly suspend?: CompiledSchema
  readonly resume?: CompiledSchema
}

/** A workflow with everything that is derived from its definition once. */
export interface RegisteredWorkflow {
  readonly definition: WorkflowDefinition
  readonly kind: ExecutionRow['kind']
  /** Fingerprint of the chain, of ids, kinds and nesting of its steps, or of the text of the function. */
  readonly hash: string
  readonly input: CompiledSchema | undefined
  readonly result: CompiledSchema | undefined
  /** The functions that are called after an execution has ended with a status. */
  hooksAfter(status: FinalStatus): readonly Hook[]
  /** `undefined` without limits. */
  readonly queue: QueueRules | undefined
  readonly placeById: ReadonlyMap<string, PlacedStep>
  /** Whether it has steps with items or rounds, whose progress is shown. */
  readonly hasLoops: boolean
  /** The declared step of a step that has run, also in a round of a loop; none for a recorded call. */
  placeAt(path: string): PlacedStep | undefined
  /** The declared step with an id, also one that it had before. */
  placeOf(id: string): PlacedStep | undefined
  /** The paths that a step had before it or a step around it was renamed. */
  formerPathsOf(step: StepDefinition): readonly string[]
  /** Whether recorded calls can have this path: the workflow is a function, or the path is within a step with one. */
  hasCallsAt(path: string): boolean
  /** Whether there is an agent with this id: of the configuration, of a step, or in `uses` of a workflow. */
  hasAgent(id: string): boolean
  schemasOf(step: StepDefinition): StepSchemas
}

/** A workflow that an event starts. */
export interface EventStarter {
  readonly workflow: RegisteredWorkflow
  readonly trigger: EventTrigger<unknown>
  /** Who may start it. */
  readonly openTo: Callers
}

/** The workflows and agents of one configuration; never changed, only replaced. */
export class Registry {
  /** The declared agents, which callers can use by id. */
  readonly agents: readonly Agent[]
  /** The declared agents, and those that only steps or other agents use. */
  readonly usedAgents: readonly Agent[]
  readonly schedules: readonly Schedule[]
  /** Whether a workflow has budgets. */
  readonly hasBudgets: boolean
  readonly #workflows: ReadonlyMap<string, RegisteredWorkflow>
  readonly #served: ReadonlySet<string>
  /** By the names of events. */
  readonly #starters = new Map<string, EventStarter[]>()
  /** By the names of events, who may send them to at least one step, workflow or execution. */
  readonly #senders = new Map<string, Callers>()
  readonly #agents: ReadonlyMap<string, Agent>
  readonly #usedAgents: ReadonlyMap<string, Agent>
  /** Of those agents that have answered in executions. */
  readonly #answers = new Map<string, RegisteredWorkflow>()

  /** @param workflows those that callers can start by id; it also has those that their steps run */
  constructor(
    workflows: readonly WorkflowDefinition[],
    agents: readonly Agent[] = [],
    schedules: readonly Schedule[] = [],
    hooks: ConfigHooks = {},
  ) {
    this.agents = agents
    this.schedules = schedules
    this.#agents = new Map(agents.map((agent) => [agent.id, agent]))
    // of two agents with the same id the declared one wins
    const used = usedAgents({ agents, workflows }).toReversed()
    this.#usedAgents = new Map(used.map((agent) => [agent.id, agent]))
    this.usedAgents = [...this.#usedAgents.values()].toReversed()
    this.#workflows = new Map(
      withChildren(workflows).map((workflow) => [workflow.id, register(workflow, hooks, this.#usedAgents)]),
    )
    this.#served = new Set(workflows.map(({ id }) => id))
    this.hasBudgets = this.list().some(({ definition }) => definition.budgets !== undefined)
    for (const workflow of this.#workflows.values()) {
      for (const { step } of workflow.placeById.values()) this.#addSenders(step)
      this.#addStarters(workflow)
    }
  }

  /** The workflow of an execution, or the agent of an answer. */
  find(id: string): RegisteredWorkflow | undefined {
    return this.#workflows.get(id) ?? this.#answersOf(id)
  }

  /** The execution of an agent's answers. */
  answers(agent: Agent): RegisteredWorkflow {
    const id = answersId(agent.id)
    const known = this.#answers.get(id)
    if (known?.definition.steps[0]?.agent === agent) return known
    const answers = { ...register(answersOf(agent), {}, this.#usedAgents), kind: 'answer' as const }
    this.#answers.set(id, answers)
    return answers
  }

  #answersOf(id: string): RegisteredWorkflow | undefined {
    const agent = this.#agents.get(agentIdIn(id) ?? '')
    return agent && this.answers(agent)
  }

  get(id: string): RegisteredWorkflow {
    const found = this.#workflows.get(id)
    if (!found) throw new AppError('not_found', `Workflow not found: ${id}`)
    return found
  }

  agent(id: string): Agent {
    const found = this.#agents.get(id)
    if (!found) throw new AppError('not_found', `Agent not found: ${id}`)
    return found
  }

  /** Any agent, declared or used by a step or another agent. */
  usedAgent(id: string): Agent {
    const found = this.#usedAgents.get(id)
    if (!found) throw new AppError('not_found', `Agent not found: ${id}`)
    return found
  }

  findSchedule(id: string): Schedule | undefined {
    return this.schedules.find((schedule) => schedule.id === id)
  }

  schedule(id: string): Schedule {
    const found = this.findSchedule(id)
    if (!found) throw new AppError('not_found', `Schedule not found: ${id}`)
    return found
  }

  /** Whether callers can start a workflow; `false` for one that only steps of others run. */
  servesWorkflow(id: string): boolean {
    return this.#served.has(id)
  }

  /** The workflows that an event of this name may start. */
  startersOf(event: string): readonly EventStarter[] {
    return this.#starters.get(event) ?? []
  }

  /** Who may send an event to at least one of the steps that wait for it, or of the workflows that it starts or cancels; `undefined` when there is none. */
  sendersOf(event: string): Callers | undefined {
    return this.#senders.get(event)
  }

  #addSenders({ event, openTo = 'operators' }: Pick<StepDefinition, 'event' | 'openTo'>): void {
    if (event === undefined) return
    const known = this.#senders.get(event)
    if (known === undefined || includes(openTo, known)) this.#senders.set(event, openTo)
  }

  #addStarters(workflow: RegisteredWorkflow): void {
    const { id, on = [], cancelOn = [], startedBy = 'users' } = workflow.definition
    // users cancel what is theirs
    for (const { event } of cancelOn) this.#addSenders({ event: nameOfEvent(event), openTo: 'users' })
    // as for other starts, only code starts what is not listed
    const openTo = this.servesWorkflow(id) ? startedBy : 'code'
    for (const trigger of on as readonly EventTrigger<unknown>[]) {
      const event = nameOfEvent(trigger.event)
      this.#starters.set(event, [...this.startersOf(event), { workflow, trigger, openTo }])
      this.#addSenders({ event, openTo })
    }
  }

  isServed(agent: Agent): boolean {
    return this.#agents.get(agent.id) === agent
  }

  list(): readonly RegisteredWorkflow[] {
    return [...this.#workflows.values()]
  }
}

function register(
  definition: WorkflowDefinition,
  config: ConfigHooks,
  agents: ReadonlyMap<string, Agent>,
): RegisteredWorkflow {
  const hooks = hooksOf(definition, config)
  const places = placedSteps(definition)
  const compile = (schema: Schema | undefined) => schema && compileSchema(schema)
  const placeById = new Map(places.map((place) => [place.step.id, place]))
  const placeByFormerId = new Map(
    places.flatMap((place) => formerIds(place.step).map((id) => [id, place] as const)),
  )
  const formerPaths = pathsOfBefore(definition.steps)
  const placeByPath = new Map(
    places.flatMap((place) =>
      [place.path, ...(formerPaths.get(place.step) ?? [])].map((path) => [path, place] as const),
    ),
  )
  const schemas = new WeakMap(places.map(({ step }) => [step, stepSchemas(step, definition)]))
  const placeAt = (path: string) => {
    const declared = isInRound(path)
      ? declaredPath(path, (loop) => placeByPath.get(loop)?.step.steps[0]?.id)
      : path
    return placeByPath.get(declared ?? '')
  }
  return {
    definition,
    kind: 'workflow',
    hash: createHash('sha256')
      .update(JSON.stringify(definition.run ? String(definition.run) : outline(definition.steps)))
      .digest('hex')
      .slice(0, 16),
    input: compile(definition.inputSchema),
    result: compile(definition.resultSchema),
    hooksAfter: (status) => (hooks.length === 0 ? hooks : hooks.filter(({ isFor }) => isFor(status))),
    queue: queueRules(definition),
    placeById,
    hasLoops: places.some(({ step }) => LOOPS.has(step.type)),
    placeAt,
    placeOf: (id) => placeById.get(id) ?? placeByFormerId.get(id),
    formerPathsOf: (step) => formerPaths.get(step) ?? [],
    hasAgent: (id) => agents.has(id),
    hasCallsAt: (path) => {
      if (definition.run) return true
      for (let outer = outerPath(path); outer !== ''; outer = outerPath(outer))
        if (CALLERS.has(placeAt(outer)?.step.type ?? 'andWhen')) return true
      return false
    },
    schemasOf: (step) => {
      const known = schemas.get(step)
      if (known) return known
      const ofCall = stepSchemas(step, definition)
      schemas.set(step, ofCall)
      return ofCall
    },
  }
}

/** The former paths of steps, as far as they or the steps around them have been renamed. */
function pathsOfBefore(
  steps: readonly StepDefinition[],
  prefixes: readonly string[] = [''],
  found = new Map<StepDefinition, readonly string[]>(),
): ReadonlyMap<StepDefinition, readonly string[]> {
  for (const step of steps) {
    const [, ...former] = prefixes.flatMap((prefix) => [step.id, ...formerIds(step)].map((id) => prefix + id))
    if (former.length > 0) found.set(step, former)
    const paths = prefixes.flatMap((prefix) => [step.id, ...formerIds(step)].map((id) => `${prefix}${id}/`))
    pathsOfBefore(stepsIn(step), paths, found)
  }
  return found
}

/** The ids of the steps of a workflow; groups have none. */
export function stepIds(placeById: RegisteredWorkflow['placeById']): string[] {
  return [...placeById.values()].flatMap(({ step }) => (step.type === 'group' ? [] : [step.id]))
}

/** Says that a workflow has no step with an id, and which it has. */
export function noSuchStep({ definition, placeById }: RegisteredWorkflow, id: string): string {
  const known = stepIds(placeById).join(', ')
  return `the workflow "${definition.id}" has no step "${id}"${known && `; its steps are ${known}`}`
}

/** Refuses data for a recorded call: its function would not see them. */
export function callTakesNone(option: string, stepId: string): AppError {
  return new AppError(
    'invalid_input',
    `${option}: "${stepId}" is a recorded call, which gets what its function gives it. Change the code, or the input of the workflow`,
  )
}

/** Who may end the wait of a step or a recorded call; `undefined` if it waits for a person. */
export function openTo(
  workflow: RegisteredWorkflow | undefined,
  { path, type }: { readonly path: string; readonly type?: StepType },
): Callers | undefined {
  const place = workflow?.placeAt(path)
  if (place) return place.step.openTo
  return workflow?.hasCallsAt(path) && (type === undefined || WAIT_TYPES.has(type)) ? 'operators' : undefined
}

/** Step kinds whose functions, or tools, can make recorded calls. */
const CALLERS: ReadonlySet<StepType> = new Set(['andThen', 'andTap', 'andAgent'])

/** Step kinds to which the default schemas of their workflow don't apply. */
const OWN_DATA: ReadonlySet<StepType> = new Set(['andAgent', ...WAIT_TYPES])

function stepSchemas(step: StepDefinition, workflow: WorkflowDefinition): StepSchemas {
  const takesData = !OWN_DATA.has(step.type)
  const declared = {
    input: step.inputSchema,
    output: step.outputSchema,
    suspend: step.suspendSchema ?? (takesData ? workflow.suspendSchema : undefined),
    resume: step.resumeSchema ?? (takesData ? workflow.resumeSchema : undefined),
  }
  const present = Object.entries(declared).filter(([, schema]) => schema !== undefined)
  return Object.fromEntries(present.map(([name, schema]) => [name, compileSchema(schema as Schema)]))
}

function outline(steps: readonly StepDefinition[]): unknown[] {
  return steps.map((step) => [step.type, step.id, step.workflow?.id ?? null, outline(step.steps)])
}

/** Keeps a generation of the user's code alive while an execution runs on it. */
export interface GenerationHold {
  readonly registry: Registry
  release(): void
}
