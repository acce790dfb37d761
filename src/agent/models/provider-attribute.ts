/** What OpenTelemetry's conventions call providers, by the beginning of what the AI SDK calls them. */
const WELL_KNOWN: readonly (readonly [sdk: string, convention: string])[] = [
  ['google.vertex', 'gcp.vertex_ai'],
  ['vertex', 'gcp.vertex_ai'],
  ['google', 'gcp.gemini'],
  ['amazon-bedrock', 'aws.bedrock'],
  ['bedrock', 'aws.bedrock'],
  ['azure-openai', 'azure.ai.openai'],
  ['azure', 'azure.ai.openai'],
  ['xai', 'x_ai'],
  ['mistral', 'mistral_ai'],
]

/** A provider as the attribute `gen_ai.provider.name` has it: `openai`, where a model says `openai.responses`. */
export function providerAttribute(provider: string): string {
  const [, known] = WELL_KNOWN.find(([sdk]) => provider === sdk || provider.startsWith(`${sdk}.`)) ?? []
  return known ?? provider.replace(/\.(?:chat|responses|messages|completion)$/, '')
}
