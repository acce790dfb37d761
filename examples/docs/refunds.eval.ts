import { contains, createEval, maxSteps, type Scorer } from 'agentserver'

const polite: Scorer = ({ output }) =>
  /please|thank/i.test(String(output)) ? 1 : { score: 0, reason: 'not polite' }

export default createEval({
  id: 'refunds',
  target: { agent: 'support' },
  cases: 'cases/refunds/*.json',
  scorers: [contains(), maxSteps(4), polite],
  threshold: 0.9,
})
