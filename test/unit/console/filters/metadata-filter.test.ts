import { expect, it } from 'vitest'
import { metadataQuery, metadataText } from '../../../../src/console/filters/metadata-filter.ts'

it('a filter of metadata has members with their values, which may have spaces', () => {
  expect(metadataQuery('plan=pro tenant=Acme Inc seats=12')).toEqual({
    'metadata.plan': 'pro',
    'metadata.tenant': 'Acme Inc',
    'metadata.seats': '12',
  })
  expect(metadataQuery(' formula=a=b ')).toEqual({ 'metadata.formula': 'a=b' })
})

it('a filter of metadata that has no value is left to the server, which refuses it', () => {
  expect(metadataQuery('pla')).toEqual({ metadata: 'pla' })
  expect(metadataQuery('pla plan=pro')).toEqual({ metadata: 'pla', 'metadata.plan': 'pro' })
  expect(metadataQuery(' ')).toEqual({})
})

it.each(['pro', 'Acme Inc', 'a b=c', 'a=b', 'say "hi"', 12, true])(
  'the link to executions with the metadata %j finds these',
  (value) => {
    const other = metadataText('plan', 'pro')
    expect(metadataQuery(`${metadataText('name', value)} ${other}`)).toEqual({
      'metadata.name': String(value),
      'metadata.plan': 'pro',
    })
  },
)
