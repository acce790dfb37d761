/** The JSON values of an output with one per line; other lines are left out. */
export function jsonLines(output: string): object[] {
  return output.split('\n').flatMap((line) => {
    const value = line.startsWith('{') ? parsed(line) : undefined
    return typeof value === 'object' && value !== null ? [value] : []
  })
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
