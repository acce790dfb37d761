/**
 * Checks an argument of a public function, before its members are read.
 *
 * @throws TypeError naming the function and the argument, when it is no object.
 */
export function requireObject(call: string, argument: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return
  const given = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value
  throw new TypeError(`${call}(): ${argument} must be an object, not ${given}`)
}
