import { isDeepStrictEqual } from 'node:util'
import { formatPointer, parsePointer } from '../../lib/json/json-pointer.ts'
import type { JsonPath } from '../../lib/json/json-value.ts'
import { compileSchema, formatIssues } from '../../lib/schema/schema.ts'
import type { CaseRule, CaseRules } from '../../contract/evals/case.ts'

/** A place where the output is not as expected. */
export interface Difference {
  /** JSON pointer of the value; empty for the whole output. */
  readonly pointer: string
  /** What is wrong, such as `expected 5, got 6`. */
  readonly message: string
}

const MAX_TEXT = 80

/**
 * Where the output is not what was expected. A value with a rule is compared by the rule alone, whether it is expected or
 * not.
 */
export async function differences(
  expected: unknown,
  output: unknown,
  rules: CaseRules = {},
): Promise<readonly Difference[]> {
  const parsed = Object.entries(rules).map(([pointer, rule]) => ({ path: parsePointer(pointer) ?? [], rule }))
  const ruleOf = (path: JsonPath) => parsed.find((one) => matches(one.path, path))?.rule
  const found: Difference[] = []
  const add = (path: JsonPath, message: string | undefined) => {
    if (message !== undefined) found.push({ pointer: formatPointer(path), message })
  }
  const compare = async (wanted: unknown, got: unknown, path: JsonPath): Promise<void> => {
    const rule = ruleOf(path)
    if (rule) return add(path, await problemOf(rule, got))
    if (isContainer(wanted) && isContainer(got) && Array.isArray(wanted) === Array.isArray(got)) {
      const keys = new Set([...Object.keys(wanted), ...Object.keys(got)])
      for (const key of keys) await compare(member(wanted, key), member(got, key), [...path, key])
    } else if (!isDeepStrictEqual(wanted, got)) add(path, `expected ${shown(wanted)}, got ${shown(got)}`)
  }
  await compare(expected, output, [])
  return found
}

function matches(pattern: JsonPath, path: JsonPath): boolean {
  return (
    pattern.length === path.length &&
    pattern.every((key, index) => key === '*' || String(key) === String(path[index]))
  )
}

async function problemOf(rule: CaseRule, got: unknown): Promise<string | undefined> {
  if ('ignore' in rule) return undefined
  if ('regex' in rule)
    return typeof got === 'string' && new RegExp(rule.regex).test(got)
      ? undefined
      : `expected a text that matches ${rule.regex}, got ${shown(got)}`
  if ('range' in rule) {
    const [least = 0, most = 0] = rule.range
    return typeof got === 'number' && got >= least && got <= most
      ? undefined
      : `expected a number from ${least} to ${most}, got ${shown(got)}`
  }
  const validation = await compileSchema(rule.schema).validate(got)
  return validation.ok ? undefined : formatIssues(validation.issues, 'value')
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function member(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}
