// Argo CD's own examples of built-in kinds. Where we differ on purpose, the table says what we say.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { healthOf } from '#gitops/health'
import { readManifestFile } from '#gitops/render'

const folder = new URL('../../../shared/vectors/', import.meta.url).pathname
const present = existsSync(folder)

const verdict = (path: string) => {
  const object = readManifestFile(path, readFileSync(join(folder, path))).objects[0]?.object
  if (object === undefined) throw new Error(`${path} holds no object`)
  return healthOf(object)
}

describe.skipIf(!present)(
  `Argo CD's health vectors (${present ? 'present' : 'skipped: ../shared/vectors is not there'})`,
  () => {
    test.each([
      ['deployment-progressing', 'Progressing'],
      ['deployment-suspended', 'Suspended'],
      ['deployment-degraded', 'Degraded'],
      ['statefulset', 'Healthy'],
      ['statefulset-ondelete', 'Healthy'],
      ['daemonset-ondelete', 'Healthy'],
      ['pvc-bound', 'Healthy'],
      ['pvc-pending', 'Progressing'],
      ['svc-clusterip', 'Healthy'],
      ['svc-loadbalancer', 'Healthy'],
      ['svc-loadbalancer-nonemptylist', 'Healthy'],
      ['svc-loadbalancer-unassigned', 'Progressing'],
      ['ingress', 'Healthy'],
      ['ingress-nonemptylist', 'Healthy'],
      ['ingress-unassigned', 'Progressing'],
      ['job-running', 'Progressing'],
      ['job-failed', 'Degraded'],
      ['job-succeeded', 'Healthy'],
      ['job-suspended', 'Suspended'],
      ['hpa-v2-healthy', 'Healthy'],
      ['hpa-v2-degraded', 'Degraded'],
      ['hpa-v2-progressing', 'Progressing'],
      ['hpa-v1-degraded', 'Degraded'],
      ['hpa-v1-degraded-failedgetobjectmetric', 'Degraded'],
      ['hpa-v1-healthy', 'Healthy'],
      ['hpa-v1-healthy-toofew', 'Healthy'],
      ['hpa-v1-progressing', 'Progressing'],
      ['hpa-v1-progressing-with-no-annotations', 'Progressing'],
      ['pod-pending', 'Progressing'],
      ['pod-running-not-ready', 'Progressing'],
      ['pod-crashloop', 'Degraded'],
      ['pod-imagepullbackoff', 'Degraded'],
      ['pod-error', 'Degraded'],
      ['pod-running-restart-always', 'Healthy'],
      ['pod-running-restart-never', 'Progressing'],
      ['pod-running-restart-never-with-ignore-annotation', 'Healthy'],
      ['pod-running-restart-never-hook-with-ignore-annotation', 'Progressing'],
      ['pod-running-restart-never-with-ignore-annotation-backoff', 'Degraded'],
      ['pod-running-restart-onfailure', 'Progressing'],
      ['pod-failed', 'Degraded'],
      ['pod-succeeded', 'Healthy'],
      ['pod-deletion', 'Progressing'],
      ['apiservice-v1-true', 'Healthy'],
      ['apiservice-v1-false', 'Progressing'],
      ['apiservice-v1beta1-true', 'Healthy'],
      ['apiservice-v1beta1-false', 'Progressing'],
      // Argo CD has no rule for child Applications; here their health counts for the parent.
      ['application-healthy', 'Healthy'],
      ['application-degraded', 'Degraded'],
    ])('%s is %s', (name, status) => {
      expect(verdict(`engine-health/${name}.yaml`)?.status).toBe(status)
    })

    test('a suspended Job says so', () => {
      expect(verdict('engine-health/job-suspended.yaml')?.message).toBe('Job suspended')
    })

    test.each([
      ['crd-v1-healthy', 'Healthy', 'CRD is healthy'],
      [
        'crd-v1-names-not-accepted-degraded',
        'Degraded',
        'CRD names have not been accepted: the initial names have not been accepted',
      ],
      [
        'crd-v1-non-structual-degraded',
        'Degraded',
        'Schema violations found: spec.preserveUnknownFields: Invalid value: true: must be false',
      ],
      ['crd-v1-not-established-degraded', 'Degraded', 'CRD is not established'],
      ['crd-v1-terminating-condition-progressing', 'Progressing', 'CRD is terminating: user has deleted the CRD'],
      ['crd-v1-no-conditions-progressing', 'Progressing', 'Status conditions not found'],
      ['crd-v1-installing-progressing', 'Progressing', 'CRD is being installed'],
    ])('%s', (name, status, message) => {
      expect(
        verdict(`argocd-health/apiextensions.k8s.io/CustomResourceDefinition/testdata/${name}.yaml`),
      ).toMatchObject({ status, message })
    })

    test.each([
      ['healthy', 'Healthy', 'PodDisruptionBudget has SufficientPods'],
      ['progressing', 'Progressing', 'Waiting for status'],
      ['degraded', 'Degraded', 'PodDisruptionBudget has SyncFailed'],
    ])('PodDisruptionBudget %s', (name, status, message) => {
      expect(verdict(`argocd-health/policy/PodDisruptionBudget/testdata/${name}.yaml`)).toMatchObject({
        status,
        message,
      })
    })
  },
)
