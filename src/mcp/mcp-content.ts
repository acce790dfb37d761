import { z } from 'zod'

const Base64 = z.base64()

const EmbeddedResource = z.union([
  z.strictObject({ uri: z.string(), mimeType: z.string().optional(), text: z.string() }),
  z.strictObject({ uri: z.string(), mimeType: z.string().optional(), blob: Base64 }),
])

/** A content block of a tool result or a prompt (MCP 2025-11-25, server/tools). Binary data is base64. */
export const McpContent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('image'), data: Base64, mimeType: z.string() }),
  z.strictObject({ type: z.literal('audio'), data: Base64, mimeType: z.string() }),
  z.strictObject({ type: z.literal('resource'), resource: EmbeddedResource }),
  z.strictObject({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string(),
    title: z.string().optional(),
    description: z.string().optional(),
    mimeType: z.string().optional(),
  }),
])
export type McpContent = z.infer<typeof McpContent>

/** The value a tool returns to send content blocks instead of JSON. */
export const ToolParts = z.strictObject({
  content: z.array(McpContent).min(1),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
})

/** The messages of a prompt. */
export const PromptMessages = z
  .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: McpContent }))
  .min(1)
export type PromptMessages = z.infer<typeof PromptMessages>
