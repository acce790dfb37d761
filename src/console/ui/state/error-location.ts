/** `src/pay.ts:12:9`: the first place in the project that a stack names. */
export function errorLocation(stack: string | undefined): string | undefined {
  for (const line of stack?.split('\n') ?? []) {
    const place = /^\s+at (?:.*\()?([^()]+:\d+:\d+)\)?$/.exec(line)?.[1]
    if (place !== undefined && !place.includes('node_modules') && !place.startsWith('node:')) return place
  }
  return undefined
}
