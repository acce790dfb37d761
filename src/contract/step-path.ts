// without zod, so that the console can load it
//
// The path of a step is the ids of the steps around it and its own, joined by `/`. The rounds of a loop and the items
// of an andForEach step are at `<path of the loop>[<index>]`, and the nested steps of the round below that:
// `lines[3]` is the fourth item of the step `lines`, `lines[3]/price` a step within it. The steps of a group are below the
// path of the step around the group, or of the round that the group is.
//
// In records and events the id of a step in rounds ends with them, so that it is unique in its execution: `lines[3]`,
// `price[3]`. Declared ids have no brackets.

// The hooks of an execution are recorded beside its steps, at paths that begin with a colon: `:onEnd`, and `:onEnd/mail` for
// a call in it. Declared ids don't begin with one.

/** In the order in which records list them. */
export const HOOKS = ['onError', 'onEnd', 'onExecutionEnd'] as const

export type HookName = (typeof HOOKS)[number]

export function hookPath(hook: HookName): string {
  return `:${hook}`
}

/** Whether a path is that of a hook, or of a call in it. */
export function isHookPath(path: string): boolean {
  return path.startsWith(':')
}

/** Step kinds whose nested step runs in rounds. */
export const LOOPS: ReadonlySet<string> = new Set(['andForEach', 'andDoWhile', 'andDoUntil'])

// The compensation of a step is recorded beside it, at `<path of the step>:compensate`. Declared ids don't end so.

const COMPENSATE = ':compensate'

export function compensationPath(path: string): string {
  return path + COMPENSATE
}

/** The path of the step that a compensation undoes; `undefined` for other steps. */
export function compensatedPath(path: string): string | undefined {
  return path.endsWith(COMPENSATE) ? path.slice(0, -COMPENSATE.length) : undefined
}

/** The path of a round, or an item. `index` counts from 0. */
export function roundPath(loop: string, index: number): string {
  return `${loop}[${index}]`
}

/** The index of the round, or item, that a step is; undefined for other steps. */
export function roundIn(path: string): number | undefined {
  return path.endsWith(']') ? Number(path.slice(path.lastIndexOf('[') + 1, -1)) : undefined
}

/** Whether a step is a round, an item, or nested in one. */
export function isInRound(path: string): boolean {
  return path.includes('[')
}

const ROUNDS = /\[\d+\]/g

/** The id of the step at a path, with the rounds in which it ran. */
export function stepIdAt(path: string): string {
  const compensated = compensatedPath(path)
  if (compensated !== undefined) return compensationPath(stepIdAt(compensated))
  const [id = ''] = path.slice(path.lastIndexOf('/') + 1).split('[')
  return id + (path.match(ROUNDS) ?? []).join('')
}

/** The path with `[]` in the place of each round: the same for all rounds, and for all executions. */
export function stepPattern(path: string): string {
  return isInRound(path) ? path.replaceAll(ROUNDS, '[]') : path
}

/** The path of the step around a step; empty at the top level. */
export function outerPath(path: string): string {
  const step = compensatedPath(path) ?? path
  return step.slice(0, Math.max(0, step.lastIndexOf(step.endsWith(']') ? '[' : '/')))
}

/** Whether a step is nested in another one, at any depth. */
export function isNestedIn(path: string, outer: string): boolean {
  const next = path[outer.length]
  return (next === '/' || next === '[') && path.startsWith(outer)
}

/** Whether a step is another one or nested in it. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || isNestedIn(path, outer)
}

/**
 * The path of a step in its workflow's declaration, which has no rounds: in the place of a round it has the id of the
 * loop's step. `nestedId` returns that id by the declared path of a loop; `undefined` when the workflow has changed.
 */
export function declaredPath(
  path: string,
  nestedId: (loop: string) => string | undefined,
): string | undefined {
  let declared = ''
  for (const [, id, round] of path.matchAll(/([^/[\]]+)|\[(\d+)\]/g)) {
    const next = round === undefined ? id : nestedId(declared)
    if (next === undefined) return undefined
    declared += declared === '' ? next : `/${next}`
  }
  return declared
}

/** The id and the path of the step that has the answer, in the execution of an answer. */
export const ANSWER_STEP = 'answer'
