// JSON text on one line holds no line break, so an array with a break after each comma splits without being parsed.

/** A JSON array of elements that are JSON text on one line each. */
export function jsonArray(elements: readonly string[]): string {
  return `[${elements.join(',\n')}]`
}

/** The elements of an array that {@link jsonArray} made, as JSON text. */
export function elementsOf(array: string): string[] {
  return array === '[]' ? [] : array.slice(1, -1).split(',\n')
}
