/** The value of a text that is JSON. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    // shown as the text that it is
    return undefined
  }
}
