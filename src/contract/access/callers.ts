/**
 * Who may cause something: `users`, who have a valid token, and everyone below; `operators`, who have the console key or
 * the development bypass, and code; `code`, which is the project's own: its steps, tools, routes and schedules.
 */
export type Callers = 'users' | 'operators' | 'code'

/** Who may suspend and resume the executions of a workflow: of the users, all, only the owner, all but the asker, or none. */
export type Resumers = 'users' | 'owner' | 'others' | 'operators'

/** Who may approve the calls of a tool: of the users, only the one who asked the agent, all others, or none. */
export type Approvers = 'asker' | 'others' | 'operators'

/** What a caller is. Without an auth provider every request is an operator's. */
export type CallerKind = 'user' | 'operator' | 'code'

const ADMITTED = {
  users: ['user', 'operator', 'code'],
  operators: ['operator', 'code'],
  code: ['code'],
} as const satisfies Record<Callers, readonly CallerKind[]>

export function admits(callers: Callers, kind: CallerKind): boolean {
  return (ADMITTED[callers] as readonly CallerKind[]).includes(kind)
}

/** Whether all whom `others` admits are admitted. */
export function includes(callers: Callers, others: Callers): boolean {
  return ADMITTED[callers].length >= ADMITTED[others].length
}

/** A problem text when an option that declares who may do something has none of these values. */
function choiceProblem(choices: readonly string[]): (name: string, value: unknown) => string | undefined {
  const quoted = choices.map((choice) => `'${choice}'`)
  const text = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
  return (name, value) =>
    value === undefined || choices.includes(value as string) ? undefined : `${name} must be ${text}`
}

export const callersProblem = choiceProblem(['users', 'operators', 'code'] satisfies Callers[])
export const resumersProblem = choiceProblem(['users', 'owner', 'others', 'operators'] satisfies Resumers[])
export const approversProblem = choiceProblem(['asker', 'others', 'operators'] satisfies Approvers[])
