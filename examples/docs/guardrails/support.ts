import {
  createAgent,
  type InputGuardrail,
  maxLength,
  type OutputGuardrail,
  redactPatterns,
} from 'agentserver'

const noLegalAdvice: InputGuardrail = ({ text }) =>
  /\b(sue|lawsuit)\b/i.test(text) ? { block: 'Please contact our legal department' } : undefined

const noDiscounts: OutputGuardrail = ({ text, object }) =>
  /\d+ ?% off/.test(text ?? JSON.stringify(object)) ? { block: 'Only people grant discounts' } : undefined

export const support = createAgent({
  id: 'support',
  name: 'Support',
  instructions: 'Answer questions about orders.',
  guardrails: {
    input: [maxLength(4000), redactPatterns(['card']), noLegalAdvice],
    output: [redactPatterns(['email', 'phone', /ACME-\d+/]), noDiscounts],
  },
})
