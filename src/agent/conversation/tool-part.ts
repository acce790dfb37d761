import { isPart, metadata } from './ui-part.ts'
import type { MessagePart } from './ui-part.ts'

/** A call of a tool as a part of a UIMessage, in the state that its result gives it later. */
export function toolPart(call: MessagePart): MessagePart {
  const { toolCallId, toolName, input, providerExecuted } = call
  const { providerMetadata } = metadata(call)
  return {
    type: `tool-${String(toolName)}`,
    toolCallId,
    state: 'input-available',
    input,
    ...(providerExecuted !== undefined && { providerExecuted }),
    ...(providerMetadata !== undefined && { callProviderMetadata: providerMetadata }),
  }
}

/** The part of a call, with its result, the request for an approval, or the response to one. */
export function withResult(call: MessagePart, result: MessagePart): MessagePart {
  switch (result['type']) {
    case 'tool-approval-request': {
      const { approvalId: id, signature } = result
      const approval = { id, ...(signature !== undefined && { signature }) }
      return { ...call, state: 'approval-requested', approval }
    }
    case 'tool-approval-response': {
      const { approvalId: id, approved, reason } = result
      const given = { id, approved, ...(reason !== undefined && { reason }) }
      const approval = { ...(isPart(call['approval']) ? call['approval'] : {}), ...given }
      return { ...call, state: 'approval-responded', approval }
    }
    default:
      return { ...call, ...outputOf(result['output'], isPart(call['approval']) ? call['approval'] : {}) }
  }
}

function outputOf(output: unknown, approval: MessagePart): MessagePart {
  const { type, value, reason } = isPart(output) ? output : {}
  if (type === 'execution-denied' || (approval['approved'] === false && type === 'error-text'))
    return {
      state: 'output-denied',
      approval: { id: '', ...(reason !== undefined && { reason }), ...approval, approved: false },
    }
  if (type === 'error-text' || type === 'error-json')
    return { state: 'output-error', errorText: typeof value === 'string' ? value : JSON.stringify(value) }
  if (type === 'content' && Array.isArray(value))
    return {
      state: 'output-available',
      output: { content: value.map((part: unknown) => contentBlock(part)) },
    }
  return { state: 'output-available', output: value ?? null }
}

/** A content part as the block of MCP from which `toModelOutput` makes it. */
function contentBlock(value: unknown): MessagePart {
  const part = isPart(value) ? value : {}
  const { type, text, data, mediaType: mimeType } = part
  if (type === 'text') return { type, text }
  if (type === 'image-data') return { type: 'image', data, mimeType }
  if (type === 'file-data') return { type: 'resource', resource: { blob: data, mimeType } }
  return { type: 'text', text: JSON.stringify(part) }
}
