import { expect, it } from 'vitest'
import { providerAttribute } from '../../../../src/agent/models/provider-attribute.ts'

it.each([
  ['openai', 'openai'],
  ['openai.responses', 'openai'],
  ['openai.chat', 'openai'],
  ['anthropic.messages', 'anthropic'],
  ['google', 'gcp.gemini'],
  ['google.generative-ai', 'gcp.gemini'],
  ['google.vertex.chat', 'gcp.vertex_ai'],
  ['vertex.anthropic.messages', 'gcp.vertex_ai'],
  ['amazon-bedrock', 'aws.bedrock'],
  ['azure-openai.responses', 'azure.ai.openai'],
  ['xai.chat', 'x_ai'],
  ['mistral.chat', 'mistral_ai'],
  ['groq.chat', 'groq'],
  ['googlish', 'googlish'],
  ['my.own', 'my.own'],
])('the provider %s is %s by the conventions', (provider, convention) => {
  expect(providerAttribute(provider)).toBe(convention)
})
