import { MAX_EXAMPLES } from '../contract/schema-examples.ts'
import { LOOPS } from '../contract/step-path.ts'
import { callersProblem, resumersProblem } from '../contract/access/callers.ts'
import { declarationOf } from '../lib/declared-at.ts'
import type { FoundProblem } from '../lib/declared-at.ts'
import { DURATION_RULE, parseDuration } from '../lib/duration.ts'
import { problemsOf } from '../lib/found-problem.ts'
import { ID_RULE, isId } from '../lib/ids.ts'
import { compileSchema, isSchema } from '../lib/schema/schema.ts'
import type { Schema } from '../lib/schema/schema.ts'
import { messageOf } from '../lib/errors.ts'
import { isAgent } from '../agent/agent.ts'
import { budgetsProblems } from '../agent/budgets/budget.ts'
import { retryProblem } from '../step/retry.ts'
import { triggerProblems } from './event-triggers.ts'
import { limitProblems } from './limits.ts'
import type { StepDefinition, WorkflowDefinition } from './definition.ts'
import { formerIds, functionProblem } from './step.ts'

/** Ids that are reserved for routes. */
const RESERVED_IDS = new Set(['executions'])

const SCHEMA_KEYS = ['inputSchema', 'outputSchema', 'resultSchema', 'suspendSchema', 'resumeSchema'] as const

/** A step of a workflow, with its path: the ids of its parents and its own, joined by `/`. */
export interface PlacedStep {
  readonly step: StepDefinition
  readonly path: string
  /** The index of its top-level step in the workflow. */
  readonly index: number
}

/**
 * All steps of a workflow, parents before their nested steps. The steps of a group are those of the step around it; a
 * group that runs in rounds is a step itself.
 */
export function placedSteps(workflow: WorkflowDefinition): PlacedStep[] {
  const place = (step: StepDefinition, prefix: string, index: number): PlacedStep[] => {
    const path = prefix + step.id
    return [{ step, path, index }, ...stepsIn(step).flatMap((nested) => place(nested, `${path}/`, index))]
  }
  return workflow.steps.flatMap((step, index) => place(step, '', index))
}

/** The steps whose paths are directly below that of a step. */
export function stepsIn({ type, steps }: StepDefinition): readonly StepDefinition[] {
  return LOOPS.has(type) ? steps : steps.flatMap((step) => (step.type === 'group' ? step.steps : [step]))
}

const NO_STEPS = 'it has no steps: andThen() and its like return a new workflow, so export what they return'

/** The problems of a workflow's declaration and of those of its steps. The messages name the steps. */
export function workflowProblems(workflow: WorkflowDefinition): FoundProblem[] {
  const placed = placedSteps(workflow)
  const declaration = declarationOf(workflow)
  return [
    ...problemsOf(workflow, ''),
    ...workflowOptionProblems(workflow).map((message) => ({ message, declaration })),
    ...(placed.length === 0 && workflow.run === undefined ? [{ message: NO_STEPS, declaration }] : []),
    ...placed.flatMap((place) => stepProblems(place)),
    ...duplicates(placed),
    ...takenFormerIds(placed),
  ]
}

function workflowOptionProblems(workflow: WorkflowDefinition): string[] {
  return [
    ...idProblems(workflow.id),
    workflow.run === undefined ? undefined : functionProblem('run', workflow.run),
    workflow.uses === undefined ? undefined : usesProblem(workflow.uses),
    ...(workflow.retries === undefined ? [] : [retryProblem(workflow.retries)]),
    ...schemaProblems(workflow),
    examplesProblem(workflow),
    callersProblem('startedBy', workflow.startedBy),
    resumersProblem('resumableBy', workflow.resumableBy),
    ...limitProblems(workflow),
    ...budgetsProblems(workflow.budgets),
    ...triggerProblems(workflow),
    ...hookProblems(workflow),
    workflow.timeout === undefined || (parseDuration(workflow.timeout) ?? 0) > 0
      ? undefined
      : `timeout must be a duration above 0: ${DURATION_RULE}`,
  ].filter((problem) => problem !== undefined)
}

function stepProblems({ step, path }: PlacedStep): FoundProblem[] {
  const before = `step "${path}" (${step.type}): `
  const declaration = declarationOf(step)
  return [
    // the step around a group has its problems
    ...(step.type === 'group' ? [] : problemsOf(step, before)),
    ...schemaProblems(step).map((problem) => ({ message: before + problem, declaration })),
  ]
}

function hookProblems({ onEnd, onError }: WorkflowDefinition): (string | undefined)[] {
  const given = Object.entries({ onEnd, onError }).filter(([, hook]) => hook !== undefined)
  return given.map(([name, hook]) => functionProblem(name, hook))
}

function idProblems(id: unknown): string[] {
  if (typeof id !== 'string' || !isId(id)) return [`the id must be ${ID_RULE}`]
  return RESERVED_IDS.has(id) ? [`the id "${id}" is reserved for a route`] : []
}

function schemaProblems(declared: StepDefinition | WorkflowDefinition): string[] {
  const schemas = declared as unknown as Record<string, Schema | undefined>
  return SCHEMA_KEYS.flatMap((key) => {
    const schema = schemas[key]
    // defineStep() already reports values that are not schemas
    if (schema === undefined || (!isSchema(schema) && 'type' in declared)) return []
    try {
      const { input, output } = compileSchema(schema)
      return input && output ? [] : [`${key} has no JSON Schema`]
    } catch (error) {
      return [`${key}: ${messageOf(error)}`]
    }
  })
}

/** That the workflow accepts them is checked later, as that may need time. */
function examplesProblem({ examples }: WorkflowDefinition): string | undefined {
  if (examples === undefined) return undefined
  if (!Array.isArray(examples)) return 'examples must be a list of inputs'
  return examples.length > MAX_EXAMPLES
    ? `examples has ${examples.length} inputs; at most ${MAX_EXAMPLES}`
    : undefined
}

/** Whether `value` is a workflow. Checks declarations of untyped configurations. */
export function isWorkflow(value: unknown): value is WorkflowDefinition {
  // steps also have `steps`, but workflows have no `type`
  if (typeof value !== 'object' || value === null || 'type' in value) return false
  return Array.isArray((value as WorkflowDefinition).steps)
}

function usesProblem(uses: unknown): string | undefined {
  const isList = Array.isArray(uses) && uses.every((used) => isWorkflow(used) || isAgent(used))
  return isList ? undefined : 'uses must be an array of agents and workflows'
}

/** An id of before must not be one of today: its record would be that of two steps. */
function takenFormerIds(placed: readonly PlacedStep[]): FoundProblem[] {
  const names = new Set(placed.map(({ step }) => step.id))
  const known = new Map<string, string>()
  return placed.flatMap(({ step, path }) =>
    formerIds(step).flatMap((former) => {
      const other = names.has(former) ? former : known.get(former)
      known.set(former, step.id)
      if (other === undefined) return []
      const whose = other === former ? 'a step' : `that of "${other}", too`
      return [
        {
          message: `step "${path}": was names "${former}", which is ${whose}`,
          declaration: declarationOf(step),
        },
      ]
    }),
  )
}

/** A problem for each id that several steps have, where the second of them is declared. */
function duplicates(placed: readonly PlacedStep[]): FoundProblem[] {
  const byId = new Map<string, PlacedStep[]>()
  for (const place of placed)
    if (place.step.type !== 'group') byId.set(place.step.id, [...(byId.get(place.step.id) ?? []), place])
  return [...byId].flatMap(([id, found]) => {
    const [, second] = found
    if (second === undefined) return []
    const paths = found.map(({ path }) => path).join(', ')
    return [
      {
        message: `step id "${id}" is used ${found.length} times (${paths})`,
        declaration: declarationOf(second.step),
      },
    ]
  })
}
