/** What a client lets a server ask. */
export interface ClientAbilities {
  readonly elicit: boolean
  readonly sample: boolean
}

/** Reads what a client declares (MCP, `ClientCapabilities`). */
export function abilitiesOf(capabilities: unknown): ClientAbilities {
  if (!isObject(capabilities)) return { elicit: false, sample: false }
  const { elicitation, sampling } = capabilities
  return { elicit: isObject(elicitation) && takesForms(elicitation), sample: isObject(sampling) }
}

/** The revisions that knew forms only did not name them. */
function takesForms(elicitation: Readonly<Record<string, unknown>>): boolean {
  return isObject(elicitation['form']) || !isObject(elicitation['url'])
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
