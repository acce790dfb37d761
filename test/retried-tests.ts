import type { Reporter, TestModule } from 'vitest/node'

/** Lists, at the end of a run, the tests that passed or failed only after a retry. */
export class RetriedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap((module) =>
      [...module.children.allTests()]
        .map((test) => ({ title: test.fullName, retries: test.diagnostic()?.retryCount ?? 0 }))
        .filter(({ retries }) => retries > 0)
        .map(({ title, retries }) => `retried: ${module.relativeModuleId} > ${title} (${retries})`),
    )
    if (lines.length > 0) console.log(`\n${lines.join('\n')}`)
  }
}
