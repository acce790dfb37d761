import { isChannel } from '../../contract/index.ts'
import { patternProblem } from '../../contract/route-pattern.ts'

/** The problems of the `webSockets` option. */
export function socketProblems(webSockets: unknown): string[] {
  if (typeof webSockets !== 'object' || webSockets === null || Array.isArray(webSockets))
    return ['webSockets: must be an object of paths and handlers']
  return Object.entries(webSockets).flatMap(([path, handler]) => {
    const problem = pathProblem(path) ?? (typeof handler === 'function' ? undefined : 'must be a function')
    return problem === undefined ? [] : [`webSockets["${path}"]: ${problem}`]
  })
}

function pathProblem(path: string): string | undefined {
  if (!path.startsWith('/') || path.includes('*')) return 'the path must start with "/" and have no "*"'
  if (isChannel(path)) return "the path is one of the server's own channels"
  return patternProblem(path)
}
