/** Provider names of the OpenTelemetry conventions, by the prefix of the AI SDK's name. */
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

/** The value of `gen_ai.provider.name` for a provider of the AI SDK: `openai` for `openai.responses`. */
export function providerAttribute(provider: string): string {
  const [, known] = WELL_KNOWN.find(([sdk]) => provider === sdk || provider.startsWith(`${sdk}.`)) ?? []
  return known ?? provider.replace(/\.(?:chat|responses|messages|completion)$/, '')
}
