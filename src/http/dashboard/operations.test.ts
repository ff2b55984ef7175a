import { expect, test } from 'vitest'
import { app, at, stamp } from '../../../test/support/web-application.ts'
import { withApproval } from './operations.ts'

test('an approval bears the time of the world, whatever a browser thinks it is', () => {
  const approved = withApproval({ ...app(), metadata: { ...app().metadata, annotations: { kept: 'yes' } } }, at(5))
  expect(approved.metadata.annotations).toEqual({ kept: 'yes', 'argocd.argoproj.io/deletion-approved': stamp(5) })
})
