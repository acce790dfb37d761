import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, it } from 'vitest'
import { REPOSITORY } from '../bench/project.ts'
import { plantedFaults } from './planted.ts'

it('five faults can be planted', () => {
  expect(plantedFaults().toSorted()).toEqual([
    'acknowledged-before-stored',
    'claim-without-epoch',
    'compensation-run-twice',
    'event-number-skipped',
    'wake-lost',
  ])
})

it.each(plantedFaults())('the fault %s can be planted into the engine as it is now', (name) => {
  const patch = path.join(import.meta.dirname, 'planted', `${name}.patch`)
  const check = () => execFileSync('git', ['apply', '--check', patch], { cwd: REPOSITORY, stdio: 'pipe' })
  expect(check).not.toThrow()
})
