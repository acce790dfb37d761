import { contains, createEval, maxSteps, toolCalls } from 'agentserver'

/** Sums that the clerk must not calculate itself, in the words of its users. */
export default createEval({
  id: 'clerk',
  target: { agent: 'clerk' },
  cases: 'cases/clerk/*.json',
  scorers: [toolCalls(['calculate']), contains(), maxSteps(3)],
})
