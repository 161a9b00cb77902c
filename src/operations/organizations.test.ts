import { expect, test } from 'vitest'
import type { OrganizationChange } from '../store/meta/people/organization-change.ts'
import { updateOrganization } from './organizations.ts'
import { endOf, operationRig } from './rig.cases.ts'

const fresh = operationRig()
const config = { retentionErrorsDays: 90 }

test('name, slug and retention change, and the revision grows', async () => {
  const { meta, ann } = await fresh()
  const change = { name: 'Acme Inc.', slug: 'acme-inc', retentionErrorsDays: 30 }
  expect(await updateOrganization({ meta, config }, ann, 1, change, 0)).toMatchObject({
    name: 'Acme Inc.',
    slug: 'acme-inc',
  })
  expect(await meta.organizations.organizationSettings(1)).toMatchObject({ retentionErrorsDays: 30, rev: 1 })
})

test.each<[OrganizationChange, number | undefined, string, string[]]>([
  [{ retentionErrorsDays: 91 }, undefined, 'VALIDATION', ['retentionErrorsDays']],
  [{ slug: '1' }, undefined, 'VALIDATION', ['slug']],
  [{ name: 'New' }, 3, 'CONFLICT', []],
])('%j at revision %j is refused', async (change, rev, code, fields) => {
  const { meta, ann } = await fresh()
  expect(await endOf(() => updateOrganization({ meta, config }, ann, 1, change, rev))).toEqual([code, fields])
  expect(await meta.organizations.organizationById(1)).toMatchObject({ name: 'Acme', slug: 'acme' })
})
