const PLAIN = String.raw`[^{}()/\\'"\x60]|'[\w -]*'|"[\w -]*"`
const OBJECT = String.raw`\{(?:${PLAIN}|\{(?:${PLAIN})*\})*\}`
const PARAMETER = String.raw`\s*([\w$]+|${OBJECT})\s*`
/** The start of a function with at most two parameters that are names or destructured objects, or of `name => …`. */
const START = new RegExp(
  String.raw`^(?:[\w$\s*]*\((?:${PARAMETER}(?:,${PARAMETER})?,?)?\s*\)\s*(?:=>|\{)|(?:async\s+)?([\w$]+)\s*=>)`,
)

/**
 * Whether a function may use one of the members `names` of its first (0) or second (1) parameter, judged by its source.
 * It is true in doubt: for a parameter that is passed on as a whole, and for parameters with comments or calls.
 */
export function usesMember(
  fn: (...args: never[]) => unknown,
  index: 0 | 1,
  names: readonly string[],
): boolean {
  const source = Function.prototype.toString.call(fn)
  const start = START.exec(source)
  if (!start || /\barguments\b|\[native code\]/.test(source)) return true
  const [text, first, second, only] = start
  const parameter = [first ?? only, second][index]
  const members = names.join('|')
  if (parameter === undefined) return false
  if (parameter.startsWith('{'))
    return new RegExp(String.raw`\b(?:${members})\b|\.\.\.|\]\s*:`).test(parameter)
  const name = parameter.replaceAll('$', String.raw`\$&`)
  const otherMember = String.raw`\s*\??\.\s*(?!(?:${members})\b)\w`
  return new RegExp(String.raw`(?<![\w$])${name}(?![\w$])(?!${otherMember})`).test(source.slice(text.length))
}
