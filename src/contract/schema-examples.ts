/** The number of examples that a workflow or an agent can have. */
export const MAX_EXAMPLES = 20

/** The length of an example, as JSON or as a message. */
export const MAX_EXAMPLE_LENGTH = 10_000

/** The examples of an input schema: those of its workflow, then its own. */
export function examplesIn({ examples }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Array.isArray(examples) ? examples : []
}
