import { expect, it } from 'vitest'
import { metadataQuery } from '../../../../src/console/filters/metadata-filter.ts'

it('a filter of metadata has members with their values, which may have spaces', () => {
  expect(metadataQuery('plan=pro tenant=Acme Inc seats=12')).toEqual({
    'metadata.plan': 'pro',
    'metadata.tenant': 'Acme Inc',
    'metadata.seats': '12',
  })
  expect(metadataQuery(' formula=a=b ')).toEqual({ 'metadata.formula': 'a=b' })
  expect(metadataQuery('pla')).toEqual({})
})
