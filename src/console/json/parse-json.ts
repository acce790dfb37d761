/** The value of a JSON text; undefined for other texts. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    // not JSON: shown as text
    return undefined
  }
}
