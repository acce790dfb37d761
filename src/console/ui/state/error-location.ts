/** The first stack frame in the project, such as `src/pay.ts:12:9`. */
export function errorLocation(stack: string | undefined): string | undefined {
  for (const line of stack?.split('\n') ?? []) {
    const location = /^\s+at (?:.*\()?([^()]+:\d+:\d+)\)?$/.exec(line)?.[1]
    if (location !== undefined && !location.includes('node_modules') && !location.startsWith('node:'))
      return location
  }
  return undefined
}
