const OPENING = '([{'
const CLOSING = ')]}'
const STRING = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g

/**
 * Whether a function may use one of the members `names` of its parameter at `index`, judged by its source. It is true
 * in doubt: for a parameter that is passed on as a whole, and for source that cannot be read.
 */
export function usesMember(
  fn: (...args: never[]) => unknown,
  index: number,
  names: readonly string[],
): boolean {
  const source = Function.prototype.toString.call(fn).replaceAll(STRING, "''")
  const parameters = parametersIn(source)
  if (!parameters || /\barguments\b/.test(source)) return true
  const rest = parameters.findIndex((parameter) => parameter.startsWith('...'))
  const parameter = parameters[index]
  if (rest !== -1 && rest <= index) return true
  if (parameter === undefined) return false
  if (parameter.startsWith('{'))
    return parameter.includes('...') || names.some((name) => new RegExp(`\\b${name}\\b`).test(parameter))
  const [identifier] = /^\w+/.exec(parameter) ?? []
  return identifier === undefined || usesIn(source, identifier, names)
}

/** Whether an identifier is used other than by access to members that are not in `names`. */
function usesIn(source: string, identifier: string, names: readonly string[]): boolean {
  const uses = source.matchAll(
    new RegExp(`(?<![\\w$.])${identifier}(?![\\w$])(?:\\s*\\??\\.\\s*(\\w+))?`, 'g'),
  )
  const [, ...members] = [...uses].map(([, member]) => member)
  return members.some((member) => member === undefined || names.includes(member))
}

/** The source of each parameter; `undefined` for native and bound functions. */
function parametersIn(source: string): string[] | undefined {
  if (source.includes('[native code]')) return undefined
  const [, single] = /^(?:async\s+)?(\w+)\s*=>/.exec(source) ?? []
  if (single !== undefined) return [single]
  const start = source.indexOf('(') + 1
  const parameters = ['']
  let depth = 1
  for (const character of source.slice(start)) {
    if (OPENING.includes(character)) depth++
    if (CLOSING.includes(character)) depth--
    if (depth === 0) return parameters.map((parameter) => parameter.trim()).filter((text) => text !== '')
    if (depth === 1 && character === ',') parameters.push('')
    else parameters.push(`${parameters.pop()}${character}`)
  }
  return undefined
}
