/** The requests that a client accepts from a server. */
export interface ClientCapabilities {
  readonly elicit: boolean
  readonly sample: boolean
}

/** Reads the capabilities that a client declares (MCP, `ClientCapabilities`). */
export function readClientCapabilities(capabilities: unknown): ClientCapabilities {
  if (!isObject(capabilities)) return { elicit: false, sample: false }
  const { elicitation, sampling } = capabilities
  return { elicit: isObject(elicitation) && supportsForms(elicitation), sample: isObject(sampling) }
}

/** Revisions before URL elicitation declare form support with an empty object. */
function supportsForms(elicitation: Readonly<Record<string, unknown>>): boolean {
  return isObject(elicitation['form']) || !isObject(elicitation['url'])
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
