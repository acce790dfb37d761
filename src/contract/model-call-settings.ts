import { z } from 'zod'
import { JsonObject } from './fields.ts'

/** Settings of the model calls of an answer, with the names that the AI SDK gives them. */
export const ModelCallSettings = z.object({
  temperature: z.number().min(0).optional().describe('Sampling temperature'),
  maxOutputTokens: z.int().min(1).optional().describe('Maximum number of generated tokens'),
  topP: z.number().min(0).max(1).optional().describe('Nucleus sampling'),
  topK: z.int().min(0).optional().describe('Sampling from the K most likely tokens'),
  presencePenalty: z
    .number()
    .min(-2)
    .max(2)
    .optional()
    .describe('How much tokens that have occurred are avoided, -2 to 2'),
  frequencyPenalty: z
    .number()
    .min(-2)
    .max(2)
    .optional()
    .describe('How much tokens are avoided that have occurred often, -2 to 2'),
  seed: z.int().optional().describe('Seed of the sampling, where the provider supports it'),
  stopSequences: z.array(z.string()).max(100).optional().describe('Texts that end the generation'),
  providerOptions: z
    .record(z.string(), JsonObject)
    .optional()
    .describe('Options of the AI SDK provider, by its name'),
})
