import { declaredHere } from '../lib/declared-at.ts'
import { asProblems } from '../lib/found-problem.ts'
import { isStep } from './step.ts'
import type { StepDefinition } from './definition.ts'

type BuildStep = (options: never) => StepDefinition

/** The step kinds by the methods of a chain. The kinds with nested steps need all others: these are added when all exist. */
const kinds = new Map<string, BuildStep>()

/** Makes the methods of chains. */
export function addStepKinds(all: Readonly<Record<string, BuildStep>>): void {
  for (const [name, build] of Object.entries(all)) kinds.set(name, build)
}

/** The methods that add a step to a chain with these steps. Each returns what `next` makes of the longer chain. */
export function chainMethods<Chain>(
  steps: readonly StepDefinition[],
  next: (steps: readonly StepDefinition[]) => Chain,
): Readonly<Record<string, (argument: never) => Chain>> {
  const and = (step: unknown) => {
    if (!isStep(step)) throw new TypeError('and(): the step must be made by a function such as andThen()')
    return next([...steps, step])
  }
  const methods = [...kinds].map(
    ([name, build]) => [name, (options: never) => next([...steps, build(options)])] as const,
  )
  return { ...Object.fromEntries(methods), and }
}

/** A step within another one. A function is a group: the chain that it makes. `number` is its place within the outer step. */
export function nestedStep(outerId: string, nested: unknown, number = 1): StepDefinition {
  return typeof nested === 'function'
    ? groupOf(`${outerId}#${number}`, nested as MakeChain)
    : (nested as StepDefinition)
}

/** The steps within a step. */
export function nestedSteps(outerId: string, nested: readonly unknown[]): readonly StepDefinition[] {
  return Array.isArray(nested) ? nested.map((step, index) => nestedStep(outerId, step, index + 1)) : []
}

interface GroupChain {
  readonly steps: readonly StepDefinition[]
}
type MakeChain = (chain: GroupChain) => unknown

/** A group runs within another step, under whose path its steps are recorded. Its id is not one that a step can have. */
function groupOf(id: string, make: MakeChain): StepDefinition {
  const made = make(groupChain([])) as Partial<GroupChain> | null | undefined
  const steps = Array.isArray(made?.steps) ? (made.steps as readonly StepDefinition[]) : []
  const problems = steps.length > 0 ? [] : ['a group must return its chain: (chain) => chain.andThen({ … })']
  const group: StepDefinition = {
    id,
    type: 'group',
    steps,
    problems,
    run: (runtime) => runtime.group(() => runtime.run(group, runtime.data)),
  }
  return Object.freeze(declaredHere(group, groupOf, asProblems(problems)))
}

function groupChain(steps: readonly StepDefinition[]): GroupChain {
  return Object.freeze({ steps, ...chainMethods(steps, groupChain) })
}
