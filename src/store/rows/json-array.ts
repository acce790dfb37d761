// JSON on one line contains no line breaks, so an array with a line break after each comma splits without parsing.

/** A JSON array, with each element on a line of its own. The elements are JSON text on one line. */
export function jsonArray(elements: readonly string[]): string {
  return `[${elements.join(',\n')}]`
}

/** The elements, as JSON text, of an array from {@link jsonArray}. */
export function elementsOf(array: string): string[] {
  return array === '[]' ? [] : array.slice(1, -1).split(',\n')
}
