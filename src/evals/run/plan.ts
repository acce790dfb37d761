import type { Agent } from '../../agent/agent.ts'
import type { Client } from '../../client/create-client.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import { Case, kindAndId, targetName } from '../../contract/evals/case.ts'
import { ALL_CASES, type CaseFile, readCases } from '../cases/case-files.ts'
import type { Eval, InlineCase } from '../eval.ts'
import { equals } from '../scorers/equals.ts'
import { namedScorer } from '../scorers/named-scorer.ts'
import type { Scorer } from '../scorers/scorer.ts'
import type { CaseToRun } from './run-case.ts'
import { targetIds } from './target-ids.ts'
import type { EvalToRun } from './run-eval.ts'

/** The id under which the cases that belong to no eval are reported. */
export const NO_EVAL = 'cases'
const DEFAULT_CONCURRENCY = 8

export interface PlanOptions {
  /** The project's directory. */
  readonly root: string
  readonly evals: readonly Eval[]
  /** Selects case files, and nothing else. Default: every eval, and the files below `cases`. */
  readonly pattern?: string | undefined
}

/**
 * What there is to run: the evals with their cases, and the case files that belong to none.
 *
 * @throws AppError `invalid_config` naming the case or eval that is not valid.
 */
export async function planEvals({ root, evals, pattern }: PlanOptions): Promise<readonly EvalToRun[]> {
  const doubled = evals.find(({ id }, index) => evals.findIndex((one) => one.id === id) !== index)
  if (evals.some(({ id }) => id === NO_EVAL))
    throw invalid(`The id "${NO_EVAL}" is that of the case files without an eval: choose another one`)
  if (doubled) throw invalid(`Two evals have the id "${doubled.id}"`)
  const selected = await readCases(root, pattern ?? ALL_CASES)
  if (pattern !== undefined && selected.length === 0)
    throw invalid(
      `No case file matches ${pattern}`,
      `Case files are JSON files such as cases/orders/large.json.`,
    )
  const isSelected = ({ file }: CaseFile) =>
    pattern === undefined || selected.some((one) => one.file === file)
  const used = new Set<string>()
  const planned: EvalToRun[] = []
  for (const one of evals) {
    const cases = await casesOf(one, root)
    for (const { file } of cases) if (file !== undefined) used.add(file)
    const wanted = cases.filter(({ file }) =>
      file === undefined ? pattern === undefined : isSelected({ file } as CaseFile),
    )
    if (cases.length === 0) throw invalid(`The eval "${one.id}" has no cases for ${targetName(one.target)}`)
    planned.push({ ...one, cases: wanted.map((each) => toRun(each, one.scorers)) })
  }
  const rest = selected.filter(({ file }) => !used.has(file))
  const others = rest.map(({ file, case: tested }) => toRun({ id: file, file, case: tested }, [equals()]))
  planned.push({ id: NO_EVAL, cases: others, concurrency: DEFAULT_CONCURRENCY, threshold: 1 })
  return planned.filter(({ cases }) => cases.length > 0)
}

interface PlannedCase {
  readonly id: string
  readonly file: string | undefined
  readonly case: Case
}

async function casesOf({ id, target, cases }: Eval, root: string): Promise<readonly PlannedCase[]> {
  if (typeof cases === 'string') {
    const files = await readCases(root, cases)
    return files
      .filter((one) => targetName(one.case.target) === targetName(target))
      .map(({ file, case: tested }) => ({ id: file, file, case: tested }))
  }
  const given: readonly InlineCase[] = typeof cases === 'function' ? await cases() : cases
  const names = given.map(({ id: own }, index) => `${id}/${own ?? index + 1}`)
  const doubled = names.find((name, index) => names.indexOf(name) !== index)
  if (doubled !== undefined) throw invalid(`Two cases have the id "${doubled}"`)
  return given.map(({ id: _, ...rest }, index) => {
    const name = names[index] as string
    const parsed = Case.safeParse({ target, ...rest })
    if (parsed.success) return { id: name, file: undefined, case: parsed.data }
    throw invalid(`${name} is not a case: ${parsed.error.issues.map(({ message }) => message).join('; ')}`)
  })
}

function toRun({ id, case: tested }: PlannedCase, ofEval: readonly Scorer[]): CaseToRun {
  const scorers =
    tested.scorers?.map((entry, index) => {
      try {
        return namedScorer(entry)
      } catch (error) {
        throw invalid(`${id}: scorers[${index}] ${messageOf(error)}`)
      }
    }) ?? ofEval
  const needing = tested.expected === undefined && scorers.find(({ needsExpected }) => needsExpected)
  if (needing) throw invalid(`${id} has no \`expected\`, which the scorer "${needing.name}" needs`)
  return { id, case: tested, scorers }
}

/** The agents of the scorers that ask a model. Those with the same criteria and model are one. */
export function judgesOf(evals: readonly EvalToRun[]): readonly Agent[] {
  const scorers = new Set(evals.flatMap(({ cases }) => cases.flatMap((one) => one.scorers)))
  const judges = [...scorers].flatMap(({ agent }) => agent ?? [])
  return [...new Map(judges.map((agent) => [agent.id, agent])).values()]
}

/**
 * Refuses cases whose target is not in the configuration.
 *
 * @throws AppError `invalid_config` naming the case.
 */
export async function checkTargets(evals: readonly EvalToRun[], client: Client): Promise<void> {
  const known = await targetIds(client)
  for (const { id, case: tested } of evals.flatMap(({ cases }) => cases)) {
    const [kind, name] = kindAndId(tested.target)
    if (known[kind]?.includes(name) === true) continue
    const near = didYouMean(name, known[kind] ?? [])
    throw invalid(`${id}: there is no ${kind} "${name}"`, near && `Did you mean "${near}"?`)
  }
}

function invalid(message: string, hint?: string): AppError {
  return new AppError('invalid_config', message, hint === undefined ? {} : { hint })
}
