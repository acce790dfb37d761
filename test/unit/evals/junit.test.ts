import { expect, it } from 'vitest'
import { junit } from '../../../src/evals/report/junit.ts'

it('JUnit XML has a suite for each eval, and the reasons of failed cases, escaped', () => {
  const failed = {
    id: 'cases/a&b/"x".json',
    target: { agent: 'clerk' },
    input: 1,
    output: 2,
    expected: 3,
    scores: [{ name: 'equals', score: 0, reason: 'output: expected <3>\u0000, got 2' }],
    score: 0,
    durationMs: 1234,
    costUsd: 0,
  }
  const text = junit([{ id: 'sums', threshold: 1, score: 0, passed: false, cases: [failed] }])
  expect(text).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="sums" tests="1" failures="1" errors="0" time="1.234">
    <testcase name="cases/a&amp;b/&quot;x&quot;.json" classname="agent clerk" time="1.234">
      <failure message="score 0.00, at least 1">equals 0.00: output: expected &lt;3&gt;�, got 2</failure>
    </testcase>
  </testsuite>
</testsuites>
`)
})
