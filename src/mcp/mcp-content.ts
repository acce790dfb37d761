import { z } from 'zod'

const Base64 = z.base64()

const EmbeddedResource = z.union([
  z.strictObject({ uri: z.string(), mimeType: z.string().optional(), text: z.string() }),
  z.strictObject({ uri: z.string(), mimeType: z.string().optional(), blob: Base64 }),
])

/** A part of what MCP clients are given (MCP 2025-11-25, server/tools, tool result). Binary data is base64. */
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

/** What a tool returns that wants its parts sent as they are. */
export const ToolParts = z.strictObject({
  content: z.array(McpContent).min(1),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
})

/** What a prompt gives: text that the user says, or a conversation. */
export const PromptMessages = z
  .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: McpContent }))
  .min(1)
export type PromptMessages = z.infer<typeof PromptMessages>
