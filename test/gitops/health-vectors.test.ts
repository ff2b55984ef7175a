// Argo CD's own examples of built-in kinds and of custom resources. Where we differ on purpose, the table says what we say.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
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
  },
)

interface Case {
  readonly inputPath: string
  readonly healthStatus: { readonly status: string; readonly message?: string }
}

const notYaml = 'a quoted text goes on at the indentation of its own key, which YAML forbids'
const beingDeleted = 'Pending deletion, which Argo CD says too before it asks the rule of a kind'

/** What we say otherwise, and why. */
const otherwise: Readonly<Record<string, string>> = {
  'db.atlasgo.io/AtlasSchema/testdata/healthy.yaml': notYaml,
  'work.karmada.io/ResourceBinding/testdata/progressing.yaml': notYaml,
  'astra.netapp.io/ResticVolumeBackup/testdata/degraded.yaml': beingDeleted,
  'kubevirt.io/VirtualMachineInstance/testdata/suspended_succeeded.yaml': beingDeleted,
}

const customFolder = join(folder, 'argocd-health')
const suites = present
  ? readdirSync(customFolder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('/health_test.yaml'))
      .map((path) => path.slice(0, -'/health_test.yaml'.length))
      .sort()
  : []

/** Argo CD reads field names in any case. */
const casesOf = (suite: string): readonly Case[] =>
  parse(readFileSync(join(customFolder, suite, 'health_test.yaml'), 'utf8').replace(/inputpath:/gi, 'inputPath:')).tests

describe.skipIf(!present)(
  `Argo CD's health of custom resources (${present ? 'present' : 'skipped: ../shared/vectors is not there'})`,
  () => {
    describe.each(suites)('%s', (suite) => {
      const cases = casesOf(suite).filter(({ inputPath }) => otherwise[`${suite}/${inputPath}`] === undefined)
      test.each(cases.map(({ inputPath, healthStatus }) => ({ inputPath, ...healthStatus })))(
        '$inputPath is $status',
        ({ inputPath, status, message = '' }) => {
          const health = verdict(`argocd-health/${suite}/${inputPath}`)
          expect({ status: health?.status, message: health?.message ?? '' }).toEqual({ status, message })
        },
      )
    })
  },
)
