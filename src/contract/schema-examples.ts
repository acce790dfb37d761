/** The examples that a JSON Schema declares; those of an input schema include those of its workflow. */
export function examplesIn({ examples }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Array.isArray(examples) ? examples : []
}
