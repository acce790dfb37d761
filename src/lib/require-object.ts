/** The types that an argument, or a member of it, may be required to have. */
const KINDS = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  function: 'a function',
  object: 'an object',
  array: 'an array',
} as const

type Kind = keyof typeof KINDS

/**
 * Checks an argument of a public function, before its members are read.
 *
 * @param members the types of its members that are set
 * @throws TypeError naming the function and the argument or its member.
 */
export function requireObject(
  call: string,
  argument: string,
  value: unknown,
  members: Readonly<Record<string, Kind | readonly Kind[]>> = {},
): void {
  requireKind(call, argument, value, 'object')
  for (const [name, kinds] of Object.entries(members)) {
    const member = (value as Readonly<Record<string, unknown>>)[name]
    if (member !== undefined) requireKind(call, `${argument}.${name}`, member, kinds)
  }
}

/**
 * Checks an argument of a public function that is no object of options.
 *
 * @throws TypeError naming the function and the argument.
 */
export function requireKind(
  call: string,
  argument: string,
  value: unknown,
  kinds: Kind | readonly Kind[],
): void {
  const accepted = [kinds].flat()
  const kind = kindOf(value)
  if (accepted.some((one) => one === kind)) return
  const given = kind === 'array' ? KINDS.array : String(kind)
  throw new TypeError(
    `${call}(): ${argument} must be ${accepted.map((one) => KINDS[one]).join(' or ')}, not ${given}`,
  )
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
