import type { McpListedPrompt, McpListedResource, McpResourceTemplate } from '../contract/endpoints/mcp.ts'

interface Entry {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly mimeType?: string | undefined
}

function described({ name, title, description, mimeType }: Entry) {
  return { name, title: title ?? null, description: description ?? null, mimeType: mimeType ?? null }
}

interface Prompt extends Omit<Entry, 'mimeType'> {
  readonly arguments?: readonly PromptArgument[] | undefined
}

interface PromptArgument {
  readonly name: string
  readonly description?: string | undefined
  readonly required?: boolean | undefined
}

/** A prompt, of a served or a connected server. */
export function listedPrompt({
  name,
  title,
  description,
  arguments: declared = [],
}: Prompt): McpListedPrompt {
  return {
    name,
    title: title ?? null,
    description: description ?? null,
    arguments: declared.map((each) => ({
      name: each.name,
      description: each.description ?? null,
      required: each.required ?? false,
    })),
  }
}

/** A resource, of a served or a connected server. */
export function listedResource({
  uri,
  size,
  ...entry
}: Entry & { readonly uri: string; readonly size?: number | undefined }): McpListedResource {
  return { uri, ...described(entry), size: size ?? null }
}

/** A resource template, of a served or a connected server. */
export function listedTemplate({
  uriTemplate,
  ...entry
}: Entry & { readonly uriTemplate: string }): McpResourceTemplate {
  return { uriTemplate, ...described(entry) }
}
