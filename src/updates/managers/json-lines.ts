/** The JSON objects in an output with one per line. Other lines are ignored. */
export function jsonLines(output: string): object[] {
  return output.split('\n').flatMap((line) => {
    const value = line.startsWith('{') ? parse(line) : undefined
    return typeof value === 'object' && value !== null ? [value] : []
  })
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
